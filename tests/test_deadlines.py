"""One deadline for all that a program is asked, one for a call, and children that stay within what they may take."""

from __future__ import annotations

import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pytest

import scopec as package
from scopec.base.diagnostics import LimitError
from scopec.base.limits import Deadline, deadline, limited
from scopec.engines.alloy import run as alloy
from scopec.engines.embedded.memory.sat import solve
from scopec.engines.java.jars import PINNED, Jar
from scopec.engines.java.processes import Finished
from scopec.engines.java.workers import Question
from scopec.session import compile as compiling
from scopec.session.check import Settings, check
from scopec.session.confirm import confirmed
from scopec.session.inquiry import graphs
from scopec.session.inquiry.verdicts import findings, memory_checks
from scopec.session.plan import Overrides, plan
from tests.command import scopec
from tests.test_cli import LONG
from tests.test_limits import SPECS

#: Takes clang gigabytes and a minute.
LARGE = """template <class T, T... I> struct S { static constexpr int n = sizeof...(I); };
__device__ int x = __make_integer_seq<S, int, 60000000>::n;
__global__ void k() { x = 1; }
//@ launch k<<<1, 1>>>();
//@ expect race_free;
"""
#: More threads than those of which nothing is taken from the event graph, and they wait for ever.
WAITS = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> x;
__global__ void k() {
    while (x.load() == 0);
    x.store(2);
}
//@ launch k<<<1, 20>>>();
//@ expect race_free;
//@ expect terminates;
"""
#: Every write of one location, of which a check of the answer looks at all orders.
MANY = "C many\n{ x = 0 }\n" + "".join(
    f"P{n} (atomic_int *x) {{ atomic_store_explicit(x, {n}, memory_order_relaxed); }}\n" for n in range(200)
)


def test_a_deadline_is_what_is_left() -> None:
    assert Deadline().left() is None
    assert Deadline().within(2.0) == 2.0
    assert deadline(10, used=4).left() == pytest.approx(6, abs=0.5)
    assert deadline(10, used=11).left() == 0
    assert deadline(10, used=11).within(2.0) == 0
    assert deadline(5, what="the budget").late == "no answer within the budget of 5 s"


def test_a_run_ends_with_the_first_of_its_deadlines() -> None:
    assert Settings(timeout=None).deadline().at is None
    soon = deadline(1, what="the budget")
    assert Settings(timeout=300.0, ends=soon).deadline() == soon
    assert "time limit of 0.5 s" in Settings(timeout=0.5, ends=soon).deadline().late
    used = Settings(timeout=20.0).deadline(used=15).left()
    assert used == pytest.approx(5, abs=0.5)


def test_a_block_after_its_deadline_is_not_entered() -> None:
    with pytest.raises(LimitError, match="the budget"), limited(0.0, None, said="over the budget"):
        raise AssertionError


@pytest.mark.parametrize("text", [MANY + "exists (x=0)\n", LONG])
@pytest.mark.sampled(1)
def test_reading_questions_and_checks_share_one_limit(text: str, write: Callable[..., Path]) -> None:
    """CPU seconds, as the machine may be busy: nothing is worked on for much longer than the limit."""
    path = write(text + "//@ expect terminates;\n" if text is LONG else text, "p.cu" if text is LONG else "p.litmus")
    before = os.times()
    said = scopec("check", "--engine", "embedded", "--timeout", "4", path)
    after = os.times()
    assert said.returncode == 4, said.stdout
    assert "no answer within the time limit of 4 s" in said.stdout + said.stderr
    used = after.children_user + after.children_system - before.children_user - before.children_system
    assert used < 2 * 4 + 5


#: That ten reads of nine values, none of them 0, are not all different is what no solver finds out.
_READERS = range(9, 19)
PIGEONS = (
    """//@ language scoped;
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0};
__global__ void k() {
    if (blockIdx.x < 9) { x.store(blockIdx.x + 1, cuda::memory_order_relaxed); }
    else { int r = x.load(cuda::memory_order_relaxed); }
}
//@ launch k<<<19, 1>>>();
"""
    + "//@ expect forbidden "
    + " && ".join(
        [f"k[{a}][0].r != 0" for a in _READERS]
        + [f"k[{a}][0].r != k[{b}][0].r" for a in _READERS for b in _READERS if a < b]
    )
    + ";\n//@ expect race_free;\n//@ expect allowed k[9][0].r == 1;\n//@ expect forbidden k[9][0].r == 10;\n"
)


@pytest.mark.sampled(0)
def test_what_is_decided_in_time_is_told(write: Callable[..., Path]) -> None:
    """The first question takes for ever; the other three do not wait for it."""
    said = scopec("check", "--engine", "embedded", "--timeout", "16", write(PIGEONS))
    assert said.returncode == 4, said.stderr
    verdicts = [list(found) for found in re.findall(r"^  (unknown|holds|violated) +(\w+)", said.stdout, re.MULTILINE)]
    assert verdicts == [
        ["unknown", "forbidden"], ["holds", "race_free"], ["holds", "allowed"], ["holds", "forbidden"],
    ]  # fmt: skip
    assert said.stdout.count("no answer within the time limit of 16 s") == 1


@pytest.mark.sampled(0)
def test_progress_is_asked_where_events_take_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph of a kernel of whole warps may take all the time; it is not begun again for progress."""
    begun = []

    def slow(*_: object) -> None:
        begun.append(time.monotonic())
        while True:
            pass

    monkeypatch.setattr(graphs, "event_graph", slow)
    path = tmp_path / "waits.cu"
    path.write_text(WAITS)
    (outcome,) = check([path], Settings(engine="embedded", timeout=8))
    (report,) = outcome.reports
    assert [c.verdict for c in report.checks if not c.expectation.implicit] == ["unknown", "violated"]
    assert len(begun) == 1
    assert report.seconds < 8 + 2


def test_what_alloy_has_answered_in_time_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And is not kept: the rest would never be asked."""
    specification = tmp_path / "p.als"

    class Late:
        def run(self, question: Question, folder: Path, seconds: float | None) -> Finished:
            out = Path(question.request["out"])
            out.mkdir()
            (out / "receipt.json").write_text('{"commands": {"race": {}, "fault": {}}}')
            return Finished(None, "", "", 5.0)

    jar = Jar(PINNED["alloy"], Path("alloy.jar"), "6", "0")
    answers = alloy.run(jar, specification, Late(), tmp_path, 5)  # type: ignore[arg-type]
    assert answers == alloy.Answers({"race": None, "fault": None}, 5.0, late=True)


@pytest.mark.parametrize("path", SPECS[::12], ids=str)
@pytest.mark.sampled(1)
def test_a_missing_answer_makes_no_verdict_another(path: Path) -> None:
    """Whatever was not answered in time: what is told is as with all answers, or unknown."""
    chance = Random(str(path))
    for run in plan(path, str(path), Overrides()).runs[:2]:
        if not run.memory_checks:
            continue
        answers = solve(run.problem)
        assert answers is not None
        whole = memory_checks(run, findings(run.problem, answers, "embedded", 0.0))
        for _ in range(12):
            some = {name: found for name, found in answers.items() if chance.random() < 0.7}
            if not some:
                continue
            found = findings(run.problem, some, "embedded", 0.0, late="too late")
            for before, now in zip(whole, memory_checks(run, found), strict=True):
                late = (now.verdict, now.reason) == ("unknown", "too late")
                assert late or (now.verdict, now.reason) == (before.verdict, before.reason), (some.keys(), now)


def test_who_confirms_has_the_time_that_is_left(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = check([write(MANY[:-1] + "exists (x=0)\n", "p.litmus")], Settings(engine="embedded", timeout=3))
    asked: list[float] = []
    monkeypatch.setattr("scopec.session.confirm.check_run", lambda *of: asked.append(of[-1]))
    confirmed(outcomes, Settings())
    assert [2000 < reading < 20_000 for reading in asked] == [True]


def test_reading_and_writing_a_specification_share_one_limit(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`scopec compile` too."""
    given: list[float] = []

    def within(used: float) -> nullcontext[None]:
        given.append(used)
        return nullcontext()

    made = compiling.plan
    monkeypatch.setattr(compiling, "plan", lambda *of: time.sleep(0.3) or made(*of))
    compiling.compile_programs([write(HOLDS, "p.litmus")], Overrides(), "all", within)
    assert given[0] == 0
    assert given[1] >= 0.3


@pytest.mark.sampled(0)
def test_a_budget_is_for_the_call(tmp_path: Path) -> None:
    """What is decided by then is reported, what is left is unknown."""
    (tmp_path / "a.litmus").write_text("C a\n{ x = 0 }\nP0 (int *x) { *x = 1; }\nexists (x=1)\n")
    for name in ("b", "c"):
        (tmp_path / f"{name}.litmus").write_text(MANY + "exists (x=0)\n")
    before = os.times()
    said = scopec("check", "--engine", "embedded", "--budget", "6", "--jobs", "1", ".", cwd=tmp_path)
    after = os.times()
    assert said.returncode == 4, said.stdout
    assert "holds     exists (x=1)" in said.stdout
    assert said.stdout.count("no answer within the budget of 6 s") + said.stderr.count("the budget of 6 s") >= 2
    used = after.children_user + after.children_system - before.children_user - before.children_system
    assert used < 2 * 6 + 5


HOLDS = "C p\n{ x = 0 }\nP0 (int *x) { *x = 1; }\nexists (x=1)\n"


def test_standard_input_need_not_have_an_end() -> None:
    with Path("/dev/zero").open("rb") as zero:
        said = subprocess.run(
            [sys.executable, "-m", "scopec.cli", "check", "-"], stdin=zero, capture_output=True, text=True, check=False
        )
    assert said.returncode == 2
    assert "standard input has more than" in said.stderr


def test_large_numbers_take_no_memory(write: Callable[..., Path]) -> None:
    text = "C large\n{ int a[2000000000]; }\nP0 (int *a) { *a = 1; }\nexists (a=1)\n"
    said = scopec("check", "--engine", "embedded", "--memory-limit", "300MB", write(text, "p.litmus"))
    assert said.returncode == 2
    assert "an array of 2000000000 elements [SCP030]" in said.stderr


def test_a_models_parentheses_have_a_limit_too(write: Callable[..., Path]) -> None:
    model = write("deep\nacyclic " + "(" * 100_000 + "po" + ")" * 100_000 + "\n", "deep.cat")
    said = scopec("check", "--engine", "embedded", "--timeout", "1", "--model", model, write(HOLDS, "p.litmus"))
    assert said.returncode in (2, 4), said.stderr
    assert "internal error" not in said.stderr


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "0", "x"])
def test_a_limit_is_a_number_of_seconds(seconds: str, write: Callable[..., Path]) -> None:
    for option in ("--timeout", "--budget"):
        said = scopec("check", option, seconds, write(LONG))
        assert said.returncode == 2
        assert "is not a number of seconds" in said.stderr


def test_a_file_without_an_end_is_not_read(write: Callable[..., Path]) -> None:
    said = scopec("check", "--engine", "embedded", "--baseline", "/dev/zero", write(MANY[:20], "p.litmus"))
    assert said.returncode == 2
    assert "cannot read the baseline /dev/zero: it is not a regular file" in said.stderr


def test_python_and_pytest_have_the_limits_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Settings] = []

    def noted(_paths: object, settings: Settings, _names: object) -> list[object]:
        given.append(settings)
        return []

    monkeypatch.setattr("scopec.session.check.check", noted)
    package.check(text="x")
    package.check(text="x", memory_limit=None)
    assert given[0].memory is not None
    assert 0 < given[0].memory < math.inf
    assert given[0].timeout == 300
    assert given[1].memory is None


@pytest.mark.skipif(sys.platform != "linux", reason="children are limited on Linux")
def test_clang_has_no_more_memory_than_scopec(write: Callable[..., Path]) -> None:
    said = scopec("check", "--engine", "embedded", "--memory-limit", "300MB", write(LARGE))
    assert said.returncode == 4
    assert "no answer with less memory than the limit of 300 MB" in said.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="children are tied on Linux")
def test_clang_ends_with_a_killed_scopec(write: Callable[..., Path]) -> None:
    command = [sys.executable, "-m", "scopec.cli", "check", "--engine", "embedded", str(write(LARGE))]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        children = next(found for found in _looking(process.pid) if found)
        process.send_signal(signal.SIGKILL)
    for _ in range(200):
        if not any(_runs(child) for child in children):
            return
        time.sleep(0.05)
    raise AssertionError(children)


def _looking(parent: int) -> Iterator[list[int]]:
    """The children of a process, looked for again and again."""
    for _ in range(600):
        yield [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and _parent(p) == parent]
        time.sleep(0.05)


def _parent(process: Path) -> int | None:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def _runs(process: int) -> bool:
    """Whether a process is there, and more than an entry of the table of processes."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
