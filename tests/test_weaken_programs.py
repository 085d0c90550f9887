"""Programs with too strong synchronisation (benchmarks/weaken): what is found is the weakest, and holds by both engines."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from benchmarks import weaken as programs
from scopec.advice.weaken import Found, weaken
from scopec.session.check import Settings
from tests.command import scopec
from tests.test_through import needs_nvcc

WAITING = programs.PROGRAMS / "waiting.cu"


def test_there_are_twenty_and_each_is_expected() -> None:
    assert len({case.path for case in programs.cases()}) >= 20
    assert list(programs.expected()) == [case.name for case in programs.cases()]
    # Some sets of every program, and of several programs more than one.
    assert all("  1." in section for section in programs.expected().values())


@pytest.mark.sampled(0)
@pytest.mark.parametrize("case", programs.cases(), ids=lambda case: case.name)
def test_what_is_found_is_what_is_expected(case: programs.Case) -> None:
    of = programs.found(case)
    assert list(programs.lines(case, of)) == programs.expected()[case.name]
    for text in programs.texts(of):
        assert programs.status(text, case, "embedded") == 0


@pytest.mark.jvm
@pytest.mark.sampled(0)
@pytest.mark.parametrize("case", programs.cases(), ids=lambda case: case.name)
def test_the_jars_confirm_it(case: programs.Case) -> None:
    of = programs.found(case)
    for text in programs.texts(of):
        assert programs.status(text, case, programs.engines(of)[1]) == 0


# ---------------------------------------------------------------- what docs/weaken.md shows


def test_the_output_that_the_document_shows() -> None:
    """Where there is an nvcc, it says how many instructions are saved, too."""
    command = "scopec weaken benchmarks/weaken/queue.cu --engine embedded"
    shown = Path("docs/weaken.md").read_text(encoding="utf-8").partition(f"$ {command}\n")[2].partition("```")[0]
    told = scopec(*command.split()[1:]).stdout
    assert re.sub(r"  instructions by nvcc .*\n", "", told) == shown


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("spec", "saved"),
    [
        ("real/ring-buffer.cu", []),
        ("bugs/pop-of-an-empty-queue.cu", [["acquire", "acq_rel", "acq_rel"]]),
    ],
)
def test_queues_of_the_specifications(spec: str, saved: list[list[str]]) -> None:
    of = found(Path("specs") / spec)
    said = [[line.partition(": ")[2] for line in one.saves] for one in of.proposals]
    assert said == [[f"`{order}` becomes `relaxed`" for order in orders] for orders in saved]


# ---------------------------------------------------------------- the GPU's instructions


def found(path: Path) -> Found:
    return weaken(path, Settings(engine="embedded"), most=1)


@pytest.mark.nvcc
@needs_nvcc
def test_instructions_that_are_saved_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "p.cu"
    shutil.copy(programs.PROGRAMS / "doubled-barrier.cu", path)
    of = found(path)
    assert [one.instructions for one in of.proposals] == [
        (n, n - 1) for n, _ in (one.instructions or (0, 0) for one in of.proposals)
    ]
    assert of.compiler is not None
    assert of.compiler.startswith("nvcc ")
    path = tmp_path / "p.ptx"
    shutil.copy("specs/ptx-files/last-numba.ptx", path)
    said = scopec("weaken", tmp_path / "p.cu", "--engine", "embedded").stdout
    assert "1 fewer" in said


def test_without_nvcc_nothing_is_counted_and_one_that_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.cu"
    shutil.copy(programs.PROGRAMS / "counter.cu", path)
    monkeypatch.setenv("PATH", str(tmp_path))
    of = found(path)
    assert ([one.instructions for one in of.proposals], of.compiler, of.notes) == ([None], None, ())
    fake = tmp_path / "nvcc"
    fake.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo "release 1.0, V1.0.1" && exit 0\necho "error: no" >&2\nexit 1\n'
    )
    fake.chmod(0o755)
    of = found(path)
    assert [one.instructions for one in of.proposals] == [None]
    assert of.notes == ("instructions of the GPU are not counted: nvcc does not compile it: error: no",)
