"""benchmarks/beside.py: what other tools say is read as they say it; here their place is taken by stand-ins on PATH."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import beside, programs

_HERD = """\
Test sb Allowed
States 1
0:r=0; 1:r=0;
{said}
Witnesses
Positive: 1 Negative: 3
{flag}Condition {condition} (0:r=0)
Observation sb {observed} 1 3
Time sb 0.00
"""


def _called(output: str, errors: str = "", seconds: float | None = 0.1) -> beside.Called:
    return beside.Called(output, errors, seconds)


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """A program of that name on PATH, and no other."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def made(name: str, script: str) -> None:
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)

    return made


@pytest.mark.parametrize(
    ("condition", "observed", "so"),
    [
        ("exists", "Sometimes", True),
        ("exists", "Always", True),
        ("exists", "Never", False),
        ("~exists", "Never", True),
        ("~exists", "Sometimes", False),
        ("forall", "Always", True),
        ("forall", "Sometimes", False),
    ],
)
def test_what_herd7_says(condition: str, observed: str, so: bool) -> None:
    said = _HERD.format(said="Ok", flag="", condition=condition, observed=observed)
    assert beside.herd_verdict(_called(said)) == beside.Verdict(so, race=False)
    racy = _HERD.format(said="Undef", flag="Flag *undef*\n", condition=condition, observed=observed)
    assert beside.herd_verdict(_called(racy)) == beside.Verdict(so, race=True)


def test_what_nobody_answers_is_told() -> None:
    assert beside.herd_verdict(_called("", "Warning: File \"a\": unexpected '}'\n")) == (
        "Warning: File \"a\": unexpected '}'"
    )
    assert beside.herd_verdict(_called("", seconds=None)) == "no answer in time"
    assert beside.dartagnan_verdict(_called("", "Exception: no solver\n")) == "Exception: no solver"
    assert beside.dartagnan_verdict(_called("Test: a\nResult: UNKNOWN\n")) == "UNKNOWN"
    assert beside.dartagnan_verdict(_called("Test: a\nResult: PASS\nTime: 0.1\n")) == beside.Verdict(condition=True)
    assert beside.dartagnan_verdict(_called("Test: a\nResult: FAIL\n")) == beside.Verdict(condition=False)


def test_different_answers_are_told_apart() -> None:
    yes, no, races = beside.Verdict(True, False), beside.Verdict(False, False), beside.Verdict(True, True)
    ours: dict[str, beside.Verdict | str] = {"a": yes, "b": yes, "c": yes, "d": "unread", "e": yes}
    theirs: dict[str, beside.Verdict | str] = {"a": yes, "b": no, "c": races, "d": yes, "e": beside.Verdict(True)}
    assert beside.compared("other", ours, theirs) == (
        2,
        [
            "b: scopec: the condition is so, no race; other: the condition is not so, no race",
            "c: scopec: the condition is so, no race; other: the condition is so, a race",
        ],
        ["d: scopec: unread; other: the condition is so, no race"],
    )


def test_a_row_that_is_not_there_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["beside.py", "medium"])
    with pytest.raises(SystemExit) as ended:
        beside.main()
    assert ended.value.code == 2
    assert "no row has files: there are small C litmus files, " in capsys.readouterr().err


@pytest.mark.sampled(0)
def test_a_call_has_a_limit_of_cpu_time() -> None:
    late = beside.called(["sh", "-c", "while :; do :; done"], 1)
    assert late.seconds is None
    soon = beside.called(["sh", "-c", "echo said; echo wrong >&2"], 5)
    assert (soon.output, soon.errors) == ("said\n", "wrong\n")
    assert soon.seconds is not None


@pytest.mark.sampled(0)
def test_tools_that_are_there_are_compared(
    stand_in: Callable[[str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """herd7 is asked about all files in one call and for its verdicts about each, dartagnan about one file a call."""
    monkeypatch.delenv("DAT3M_HOME", raising=False)
    assert [tool.name for tool in beside.tools()] == ["scopec check", "scopec outcomes"]
    lines = _HERD.format(said="No", flag="", condition="exists", observed="Never").replace("\n", "\\n")
    stand_in("herd7", f"echo herd7 \"$@\" >> {tmp_path}/calls; printf '{lines}'")
    stand_in("dartagnan", f'echo dartagnan "$@" >> {tmp_path}/calls; echo Result: PASS')
    monkeypatch.setenv("DAT3M_HOME", "/dat3m")
    files = []
    for name, text in (("ring", programs.c_ring(2)), ("iriw", programs.c_iriw(2))):
        files.append(tmp_path / f"{name}.litmus")
        files[-1].write_text(text)
    comparison = beside.Comparison(20)
    assert comparison.head().splitlines()[0] == (
        "| what | files | scopec check | herd7 -speedcheck | scopec outcomes | herd7 | dartagnan |"
    )
    assert comparison.row("some", files).startswith("| some | 2 | ")
    assert comparison.alike == {"herd7": 1, "dartagnan": 1}
    assert comparison.different == [
        f"{files[1]}: scopec: the condition is so, no race; herd7: the condition is not so, no race",
        f"{files[0]}: scopec: the condition is not so, no race; dartagnan: the condition is so",
    ]
    calls = (tmp_path / "calls").read_text().splitlines()
    assert f"herd7 -model rc11.cat -speedcheck fast {files[0]} {files[1]}" in calls
    assert f"herd7 -model rc11.cat {files[1]}" in calls
    assert f"dartagnan /dat3m/cat/rc11.cat {files[0]} --target=c11 --property=program_spec" in calls


def test_the_growing_families_end_as_they_must(tmp_path: Path) -> None:
    """Only what an order by acquire and release does not forbid is allowed: readers of two writers that disagree."""
    files = {}
    for make, sizes in beside.FAMILIES.values():
        files[make.__name__] = tmp_path / f"{make.__name__}.litmus"
        files[make.__name__].write_text(make(sizes[0]))
    found = beside.scopec_verdicts(list(files.values()), 20)
    allowed = {name for name, file in files.items() if found[file] == beside.Verdict(condition=True, race=False)}
    assert allowed == {"c_iriw"}
    assert all(isinstance(verdict, beside.Verdict) for verdict in found.values())


def test_what_scopec_does_not_read_is_told(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.litmus", tmp_path / "bad.litmus"
    good.write_text(programs.c_ring(2))
    bad.write_text("C bad\n{}\nP0(atomic_int* x) { what }\nexists (x=1)\n")
    found = beside.scopec_verdicts([good, bad], 20)
    assert found[good] == beside.Verdict(condition=False, race=False)
    assert isinstance(found[bad], str)
    assert found[bad] != "no answer"
