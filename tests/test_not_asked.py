"""Questions that a file's expectations leave out are said: races, or whether it ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from scopec.report import formats, html
from scopec.session.check import Outcome, Settings, check
from scopec.session.plan import Overrides, plan
from tests.test_formats import assert_valid

PROGRAM = """\
constexpr int N = 1;
__device__ int x;
__global__ void k() { if (threadIdx.x == 0) x = 1; }
//@ launch k<<<1, N>>>();
"""
LITMUS = "C t\n{}\nP0 (atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n"
RACES, ENDS = "race_free", "terminates"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("asked", "left_out"),
    [
        ("", ()),
        ("expect race_free;", (ENDS,)),
        ("expect race on x;", (ENDS,)),
        ("expect terminates;", (RACES,)),
        ("expect may_hang;", (RACES,)),
        ("expect progresses; expect race;", ()),
        ("expect may_stall;", (RACES,)),
        ("expect required x == 1;", (RACES, ENDS)),
        ("expect required x == 1; expect race_free under cuda-v1; expect terminates under fair;", ()),
        ("expect race_free under hrf0;", (ENDS,)),
    ],
)
def test_what_is_left_out(asked: str, left_out: tuple[str, ...], write: Callable[..., Path]) -> None:
    directives = "".join(f"//@ {directive.strip()};\n" for directive in asked.split(";") if directive.strip())
    path = write(PROGRAM + directives)
    assert {run.not_asked for run in plan(path, "t.cu", Overrides()).runs} == {left_out}


def test_each_variant_leaves_out_its_own(write: Callable[..., Path]) -> None:
    path = write(
        f"{PROGRAM}//@ vary N in {{1, 2}};\n//@ expect race_free when N == 1;\n//@ expect terminates when N == 2;\n"
    )
    found = {run.program.variant["N"]: run.not_asked for run in plan(path, "t.cu", Overrides()).runs}
    assert found == {"1": (ENDS,), "2": (RACES,)}


def test_a_litmus_file(write: Callable[..., Path]) -> None:
    path = write(LITMUS, "t.litmus")

    def left_out(**overrides: str) -> tuple[str, ...]:
        (run,) = plan(path, "t.litmus", Overrides(**overrides)).runs  # type: ignore[arg-type]
        return run.not_asked

    assert (left_out(), left_out(progress="fair")) == ((ENDS,), ())
    assert left_out(model="ptx") == (RACES, ENDS)


# ---------------------------------------------------------------- reports


@pytest.fixture
def checked(write: Callable[..., Path]) -> Callable[..., list[Outcome]]:
    def check_(*texts: str) -> list[Outcome]:
        paths = [write(text, f"t{n}.{'litmus' if text == LITMUS else 'cu'}") for n, text in enumerate(texts)]
        return check(paths, Settings(engine="embedded"))

    return check_


def written(outcomes: Sequence[Outcome], name: str, *, quiet: bool = False) -> str:
    results = formats.Results(outcomes, 1.0, datetime(2026, 1, 2), 0, dict, quiet=quiet)
    return formats.TEXTS[name](results, True)


def lines(outcomes: Sequence[Outcome], *, quiet: bool = False) -> list[str]:
    return [line for line in written(outcomes, "text", quiet=quiet).splitlines() if "not asked" in line]


TWO_MODELS = f"{PROGRAM}//@ vary N in {{1, 2}};\n//@ expect race_free;\n//@ expect allowed x == 1 under ptx;\n"
ALL = f"{PROGRAM}//@ expect race_free;\n//@ expect terminates;\n"


def test_the_text_says_it_once_a_program(checked: Callable[..., list[Outcome]]) -> None:
    assert lines(checked(PROGRAM + "//@ expect race_free;\n")) == ["  not asked: terminates"]
    assert lines(checked(PROGRAM + "//@ expect allowed x == 1;\n")) == ["  not asked: race_free, terminates"]
    assert lines(checked(ALL)) == []
    said = "  not asked: terminates"
    assert lines(checked(TWO_MODELS)) == [said, said, "not asked: terminates of 4 programs"]


def test_a_suite_says_it_in_one_line(checked: Callable[..., list[Outcome]]) -> None:
    """A litmus file is no place for it: nobody expects one to ask more than its clause."""
    assert lines(checked(LITMUS)) == ["not asked: terminates"]
    suite = checked(LITMUS, LITMUS, ALL, PROGRAM + "//@ expect terminates;\n")
    assert lines(suite) == ["  not asked: race_free", "not asked: race_free of 1 program, terminates of 2 programs"]
    assert lines(checked(ALL, ALL)) == []


def test_quiet_reports_say_it_at_the_end_alone(checked: Callable[..., list[Outcome]]) -> None:
    assert lines(checked(TWO_MODELS), quiet=True) == ["not asked: terminates of 4 programs"]
    assert lines(checked(PROGRAM + "//@ expect race_free;\n"), quiet=True) == ["not asked: terminates"]
    assert lines(checked(PROGRAM + "//@ expect race;\n"), quiet=True) == ["not asked: terminates"]


def test_other_formats(checked: Callable[..., list[Outcome]], tmp_path: Path) -> None:
    outcomes = checked(TWO_MODELS, LITMUS)
    assert_valid(outcomes)
    programs = json.loads(written(outcomes, "json"))["programs"]
    assert [program["not_asked"] for program in programs] == [["terminates"]] * 5
    suites = ElementTree.fromstring(written(outcomes, "junit"))
    properties = [[dict(p.attrib) for p in suite.iter("property")] for suite in suites]
    variants = [f"{tmp_path}/t0.cu [N = 1]", f"{tmp_path}/t0.cu [N = 2]", f"{tmp_path}/t1.litmus"]
    told = [{"name": f"not asked of {variant}", "value": "terminates"} for variant in variants]
    assert properties == [told[:2], told[2:]]
    log: Any = json.loads(written(outcomes, "sarif"))
    assert log["runs"][0]["properties"] == {"notAsked": {"terminates": 5}}
    pages = html.files(outcomes, 1.0)
    assert "Not asked: terminates of 5 programs" in pages["index.html"]
    others = [page for name, page in pages.items() if name != "index.html"]
    assert all("not asked</td><td><code>terminates</code>" in page for page in others)
    assert "ot asked" not in "".join(html.files(checked(ALL), 1.0).values())
