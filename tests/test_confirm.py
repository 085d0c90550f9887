"""``--confirm``: the embedded engine's verdicts are told first, and the jars are asked then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scopec.engines.embedded.progress import Answer
from scopec.engines.protocol import MemoryAnswer
from scopec.session.check import Settings, check, exit_code
from scopec.session.confirm import confirmed

PROGRAM = """__device__ int x;
__global__ void k() { x = 1; }
int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }
//@ expect race_free;
//@ expect terminates;
"""
#: What Alloy is not asked about: more than 200 pairs of a write and a read.
LARGE = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> a;
__global__ void k() { for (int i = 0; i < 4; i++) { a.fetch_add(i); a.exchange(i); } }
int main() { k<<<2, 1>>>(); cudaDeviceSynchronize(); }
//@ expect race_free;
"""


def told(text: str, folder: Path, *options: str, **environment: str) -> tuple[str, list[str]]:
    """What a call writes: its report, and the lines about confirmation."""
    (folder / "p.cu").write_text(text)
    command = [sys.executable, "-m", "scopec.cli", "check", "--no-cache", *options, "p.cu"]
    environ = {**{k: v for k, v in os.environ.items() if k != "CI"}, **environment}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environ, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, [line for line in done.stderr.splitlines() if "confirm" in line]


def by_embedded(text: str, folder: Path, says: list[str]) -> tuple[Settings, list]:
    (folder / "p.cu").write_text(text)
    settings = Settings(engine="embedded", say=says.append)
    return settings, check([folder / "p.cu"], settings)


@pytest.mark.jvm
def test_the_jars_confirm_what_was_reported(tmp_path: Path) -> None:
    report, lines = told(PROGRAM, tmp_path, "--format", "json")
    assert '"engine": "embedded"' in report
    assert lines == ["scopec: confirmed by Alloy and TLC"]


@pytest.mark.jvm
def test_where_they_are_not_asked(tmp_path: Path) -> None:
    assert told(PROGRAM, tmp_path, "--confirm", "never")[1] == []
    assert told(PROGRAM, tmp_path, "--confirm", "ci")[1] == []
    assert told(PROGRAM, tmp_path, "--engine", "embedded")[1] == []
    assert told(PROGRAM, tmp_path, "--confirm", "ci", CI="true")[1] == ["scopec: confirmed by Alloy and TLC"]


@pytest.mark.jvm
def test_what_would_take_long_is_not_confirmed(tmp_path: Path) -> None:
    says: list[str] = []
    settings, outcomes = by_embedded(LARGE, tmp_path, says)
    assert confirmed(outcomes, settings) == outcomes
    (line,) = says
    assert line.startswith("not confirmed: ")
    assert line.endswith("would take Alloy long")


def test_without_jars_nothing_is_confirmed(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9/"
    _, lines = told(PROGRAM, tmp_path, XDG_CACHE_HOME=str(tmp_path), npm_config_registry=nowhere, PIP_INDEX_URL=nowhere)
    assert len(lines) == 1
    assert lines[0].startswith("scopec: not confirmed: ")
    assert "could not fetch" in lines[0]


@pytest.mark.jvm
def test_a_verdict_that_the_jars_do_not_share_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hangs = PROGRAM.replace("x = 1;", "while (atomicAdd(&x, 0) == 0) ;")
    monkeypatch.setattr("scopec.engines.embedded.progress.solve", lambda *_: Answer(True, None, 3))
    settings, outcomes = by_embedded(hangs, tmp_path, [])
    (found,) = confirmed(outcomes, settings)
    assert "the engines disagree about Termination" in (found.failure or "")
    assert exit_code([found]) == 3


@pytest.mark.jvm
def test_why_an_answer_is_left_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More states than TLC is asked about, and an Alloy that does not answer in time."""
    says: list[str] = []
    settings, outcomes = by_embedded(PROGRAM, tmp_path, says)
    monkeypatch.setattr("scopec.engines.policy.MANY_STATES", 2)
    assert confirmed(outcomes, settings) == outcomes
    monkeypatch.setattr("scopec.engines.alloy.engine.Alloy.solve", lambda *_: MemoryAnswer(None, 0.0))
    assert confirmed(outcomes, settings) == outcomes
    assert says == [
        "confirmed by Alloy, but for answers about 1 program (as 6 states would take TLC long)",
        "not confirmed: 6 states would take TLC long; Alloy has not answered within the time limit",
    ]
