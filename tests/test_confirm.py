"""``--confirm``: the embedded engine's verdicts are told first, and the jars are asked then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scopec.engines.embedded.progress.fair_cycles import Answer
from scopec.engines.java.jars import Jar
from scopec.engines.java.workers import Question, Workers
from scopec.engines.protocol import MemoryAnswer
from scopec.engines.tla import run
from scopec.engines.tla.engine import module
from scopec.session.check import Settings, check, exit_code
from scopec.session.confirm import confirmed
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import Overrides, plan

#: Machines that live on serve the calls in this process.
pytestmark = pytest.mark.usefixtures("kept_machines")

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
#: Of both, TLC has numbers of 32 bits: it cannot print the first one's, and fails at the others'.
WIDE = {
    "a constant": ("long long", "x.store(1LL << 40);", "x.load() != 1LL << 40"),
    "a product": ("long long", "long long n = x.load(); x.store((n + 65536) * 65536);", "x.load() == 0"),
    "bits of a negative number": ("int", "x.fetch_or(-3);", "x.load() == 0"),
}
_WIDE = """#include <cuda/atomic>
__device__ cuda::atomic<TYPE, cuda::thread_scope_device> x{0};
__global__ void k() { if (threadIdx.x == 0) { DO } else { while (CONDITION); } }
//@ launch k<<<1, 2>>>();
//@ expect terminates;
"""
#: A lock that two threads take; one of them, where it does so again and again, need never leave it to the other.
TURNS = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> l, f;
__global__ void k() {{
    if (blockIdx.x == 0) {{ while (l.exchange(1) == 1); f.store(1); l.store(0); }}
    else {again} {{ while (l.exchange(1) == 1); l.store(0); }}
}}
int main() {{ k<<<2, 1>>>(); cudaDeviceSynchronize(); }}
//@ expect terminates;
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
@pytest.mark.sampled(0)
def test_the_jars_confirm_what_was_reported(tmp_path: Path) -> None:
    report, lines = told(PROGRAM, tmp_path, "--format", "json")
    assert '"engine": "embedded"' in report
    assert lines == ["scopec: confirmed by Alloy and TLC"]


@pytest.mark.jvm
@pytest.mark.sampled(0)
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


@pytest.mark.sampled(0)
def test_without_jars_nothing_is_confirmed(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9/"
    _, lines = told(PROGRAM, tmp_path, XDG_CACHE_HOME=str(tmp_path), npm_config_registry=nowhere, PIP_INDEX_URL=nowhere)
    assert len(lines) == 1
    assert lines[0].startswith("scopec: not confirmed: ")
    assert "could not fetch" in lines[0]


@pytest.mark.jvm
def test_a_verdict_that_the_jars_do_not_share_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hangs = PROGRAM.replace("x = 1;", "while (atomicAdd(&x, 0) == 0) ;")
    monkeypatch.setattr("scopec.engines.embedded.progress.fair_cycles.solve", lambda *_: Answer(True, None, 3))
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


@pytest.mark.jvm
def test_two_workers_are_for_one_large_question_that_nothing_violates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And never more than may be asked at once; verdicts are those of one worker."""
    asked: list[int] = []
    question = run.question

    def noted(jar: Jar, module: str, folder: Path, processors: int) -> Question:
        asked.append(processors)
        return question(jar, module, folder, processors)

    monkeypatch.setattr(run, "question", noted)
    monkeypatch.setattr("scopec.session.inquiry.ask._STATES_FOR_TWO", 6)
    says: list[str] = []
    _, outcomes = by_embedded(PROGRAM, tmp_path, says)
    _, hangs = by_embedded(PROGRAM.replace("x = 1;", "while (true) atomicAdd(&x, 1);"), tmp_path, says)
    for of, jobs, expected in (
        (outcomes, 2, [2]),
        (outcomes, 8, [2]),
        (outcomes, 1, [1]),
        ([*outcomes, *outcomes], 2, [1, 1]),
        (hangs, 2, [1]),
    ):
        asked.clear()
        assert confirmed(of, Settings(jobs=jobs, say=says.append)) == of
        assert asked == expected
    assert set(says) == {"confirmed by Alloy and TLC"}
    asked.clear()
    monkeypatch.setattr("scopec.session.inquiry.ask._STATES_FOR_TWO", 7)
    assert confirmed(outcomes, Settings(jobs=2)) == outcomes
    assert asked == [1]


@pytest.mark.jvm
@pytest.mark.parametrize("again", [True, False])
def test_two_workers_answer_as_one(tmp_path: Path, jars: dict[str, Jar], workers: Workers, again: bool) -> None:
    """Of threads that take a lock while others hold it for ever in turn, and of those that let it be."""
    path = tmp_path / "p.cu"
    path.write_text(TURNS.format(again="while (f.load() == 0)" if again else ""))
    (planned,) = plan(path, "p.cu", Overrides()).runs
    asked = module(progress_problem(planned, "Termination"))
    found = []
    for processors in (1, 2):
        folder = tmp_path / str(processors)  # TLC's own are called by the second in which it begins
        folder.mkdir()
        for name, text in asked.files.items():
            (folder / name).write_text(text)
        found.append(run.run(jars["tlc"], asked.name, workers, folder, 120, processors))
    assert [a.result and a.result.outcome for a in found] == ["liveness" if again else "holds"] * 2


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.sampled(2)
def test_numbers_that_tlc_does_not_have(name: str, tmp_path: Path) -> None:
    """What it cannot compute with is not confirmed, and no mistake."""
    path = tmp_path / "program.cu"
    path.write_text(
        _WIDE.replace("TYPE", WIDE[name][0]).replace("DO", WIDE[name][1]).replace("CONDITION", WIDE[name][2])
    )
    said: list[str] = []
    settings = Settings(engine="embedded", say=said.append)
    outcomes = check([path], settings)
    assert [c.verdict for report in outcomes[0].reports for c in report.checks] == ["holds"]
    assert exit_code(confirmed(outcomes, settings)) == 0
    assert "not confirmed" in said[-1] or "but for answers about 1 program" in said[-1]
