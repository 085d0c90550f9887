"""Hangs of the memory model beside those of schedules: verdicts, what was asked, what reports say, what is suggested."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.engines.embedded.memory.sat import solve
from scopec.engines.embedded.progress.fair_cycles import solve as explore
from scopec.explain.verdict import Check
from scopec.hangs.execution import StuckExecution
from scopec.program.loops.facts import facts
from scopec.program.loops.headers import own_heads
from scopec.report.text import outcome_lines
from scopec.session.check import Outcome, Report
from scopec.session.inquiry import sc_suffices
from scopec.session.inquiry.hangs import STUCK, search
from scopec.session.inquiry.questions import memory_problem, progress_problem
from scopec.session.inquiry.sc_suffices import known_whole
from tests.conftest import Asks, plan_of, program_of
from tests.random_loops import Shape, program
from tests.samples import programs
from tests.test_stuck import kernel
from tests.violations import VIOLATIONS

pytestmark = pytest.mark.usefixtures("kept_machines")

_PROGRAMS = programs(0, 4)


def only(outcome: Outcome, kind: str = "terminates") -> tuple[Report, Check]:
    (found,) = ((r, c) for r in outcome.reports for c in r.checks if c.expectation.kind == kind)
    return found


# ---------------------------------------------------------------- verdicts


@pytest.mark.parametrize(("kind", "verdict"), [("terminates", "violated"), ("may_hang", "holds")])
@pytest.mark.sampled(1)
def test_a_hang_is_one_of_either_memory(ask: Asks, kind: str, verdict: str) -> None:
    text = VIOLATIONS["stuck"].replace("terminates", kind)
    _, found = only(ask(text), kind)
    assert found.verdict == verdict
    assert isinstance(found.trace, StuckExecution)
    assert not found.trace.problems
    _, alone = only(ask(text, hangs="sc"), kind)
    assert alone.verdict != verdict


@pytest.mark.parametrize(("kind", "verdict"), [("progresses", "violated"), ("may_stall", "holds")])
def test_a_stall_is_one_of_either_memory(ask: Asks, kind: str, verdict: str) -> None:
    """Both threads may miss each other, and then wait at barriers of their own."""
    text = (
        VIOLATIONS["stuck"]
        .replace("terminates", kind)
        .replace("while (go.load(cuda::memory_order_acquire) == 0) { }", "go.wait(0);")
    )
    _, found = only(ask(text), kind)
    assert found.verdict == verdict
    spins = VIOLATIONS["stuck"].replace("terminates", kind)
    _, other = only(ask(spins), kind)
    assert other.verdict != verdict  # going round is progress


def test_what_schedules_decide_is_not_asked_of_the_memory_model(ask: Asks) -> None:
    _, found = only(ask(kernel("while (x.load(cuda::memory_order_relaxed) == 0);")))
    assert found.verdict == "violated"
    assert found.hangs is not None
    assert (found.hangs.memory, found.hangs.whole) == (None, None)


_ONE = "while (f.load({o}) == 0);", "f.store(1, {o});"
_TWO = "x.store(1, {o}); while (y.load({o}) == 0);", "y.store(1, {o}); while (x.load({o}) == 0);"
_DATA = (
    "plain = 1; f.store(1, {o}); go.store(1, {o});",
    "if (f.load({o}) == 1) {{ if (plain == 1) while (go.load({o}) == 0); }}",
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("parts", "order", "model", "whole"),
    [
        (_ONE, "relaxed", "cuda", "one location decides"),
        (_TWO, "seq_cst", "cuda", "each access that matters is atomic and seq_cst"),
        (_TWO, "seq_cst", "ptx", None),
        (_TWO, "relaxed", "hrf0", "every execution is sequentially consistent"),
        (_DATA, "seq_cst", "cuda", "it is race free"),
        (_TWO, "relaxed", "cuda", None),
        (("plain = 1;", "plain = 2;"), "relaxed", "cuda", "no location that threads share"),
        (
            ("x.store(1, {o});", "y.store(1, {o}); int r = x.load({o}); while (r == 5);"),
            "relaxed",
            "cuda",
            "one location",
        ),
        (
            ("x.store(1, {o}); y.store(1, {o});", "while (y.load({o}) == 0); f.store(x.load({o}), {o});"),
            "release",
            "cuda",
            None,
        ),
    ],
)
def test_where_schedules_are_all_there_is(
    ask: Asks, parts: tuple[str, ...], order: str, model: str, whole: str | None
) -> None:
    order = f"cuda::memory_order_{order}"
    text = kernel(*(part.replace("{o}", order).replace("{{", "{").replace("}}", "}") for part in parts))
    if order.endswith("release"):
        text = text.replace(f"load({order})", "load(cuda::memory_order_acquire)")
    _, found = only(ask(text, model=model))
    assert found.verdict == "holds"
    assert found.hangs is not None
    if whole is None:
        assert found.hangs.whole is None or "cycle" in found.hangs.whole
    else:
        assert (found.hangs.whole or "").startswith(whole)


_SLEEPS = "x.store(1, {o}); if (y.load({o}) == 0) while (go.load({o}) == 0);"
_WAKES = "y.store(1, {o}); if (x.load({o}) == 1) go.store(1, {o});"
_TELLS = "f.store(1, {o});", "while (f.load({o}) == 0); f.notify_all();", "f.wait(0, {o});"
_FAILS = "x.store(1); int e = 5; y.compare_exchange_strong(e, 9, {s}, {o}); if (e == 0) while (go.load() == 0);"
_LATE = "while (f.fetch_add(1, {s}) < 8); "
_PLAIN = "plain = 1; if (other == 0) while (go.load({s}) == 0);"
_TELLS_PLAIN = "other = 1; if (plain == 1) go.store(1, {s});"


@pytest.mark.parametrize(
    ("guard", "instead", "parts", "scope"),
    [
        ("_sleeps", lambda _: False, _TELLS, "device"),
        ("_atomic", lambda *_: True, (_SLEEPS.replace("{o}", "{s}"), _WAKES.replace("{o}", "{s}")), "block"),
        ("_is_seq_cst", lambda _: True, (_FAILS, _WAKES.replace("{o}", "{s}")), "device"),
        ("_is_seq_cst", lambda _: True, (_SLEEPS, _WAKES), "device"),
        ("_one_location", lambda *_: True, (_SLEEPS, _WAKES), "device"),
        ("_doubt", lambda _: False, (_LATE + _PLAIN, _LATE + _TELLS_PLAIN), "device"),
    ],
)
def test_each_condition_is_needed_for_schedules_to_be_all_there_is(
    ask: Asks,
    monkeypatch: pytest.MonkeyPatch,
    guard: str,
    instead: Callable[..., bool],
    parts: tuple[str, ...],
    scope: str,
) -> None:
    order = {"{o}": "cuda::memory_order_relaxed", "{s}": "cuda::memory_order_seq_cst"}
    text = kernel(*(part.replace("{o}", order["{o}"]).replace("{s}", order["{s}"]) for part in parts))
    text = text.replace("thread_scope_device", f"thread_scope_{scope}").replace("plain = 0", "plain = 0, other = 0")
    assert only(ask(text))[1].verdict == "violated"
    monkeypatch.setattr(sc_suffices, guard, instead)
    assert only(ask(text))[1].verdict == "holds"


def test_order_is_not_asked_for_where_the_answer_would_decide_nothing(write: Callable[..., Path]) -> None:
    def asked(*parts: str) -> bool:
        (run,) = plan_of(write(kernel(*(part.replace("{o}", "cuda::memory_order_relaxed") for part in parts)))).runs
        return "weak" in {question.name for question in memory_problem(run).questions}

    assert asked(_SLEEPS, _WAKES)
    assert not asked("while (f.fetch_add(1) < 8); " + _SLEEPS, _WAKES)
    assert not asked("while (x.load() == 0 || y.load() == 0);", "x.store(1); y.store(1);")


def test_elements_that_are_computed_are_several_locations(ask: Asks) -> None:
    order = "cuda::memory_order_relaxed"
    first = f"if (a[i].load({order}) == 0) while (a[2].load({order}) == 0);"
    second = f"if (a[1 - i].load({order}) == 1) a[2].store(1, {order});"
    text = kernel(
        f"for (int i = 0; i < 2; ++i) {{ if (i == 0) a[i].store(1, {order}); else {first} }}",
        f"for (int i = 0; i < 2; ++i) {{ if (i == 0) a[1 - i].store(1, {order}); else {second} }}",
    ).replace("a[2]", "a[i + 1]", 1)
    array = "__device__ cuda::atomic<int, cuda::thread_scope_device> a[3];\n__global__"
    assert only(ask(text.replace("__global__", array)))[1].verdict == "violated"


def test_no_cycle_of_program_order_and_communication(ask: Asks) -> None:
    """Message passing with enough order, and data that decide something."""
    release, acquire = "cuda::memory_order_release", "cuda::memory_order_acquire"
    text = kernel(
        f"x.store(1, cuda::memory_order_relaxed); f.store(1, {release});",
        f"while (f.load({acquire}) == 0); if (x.load(cuda::memory_order_relaxed) == 0) while (go.load({acquire}) == 0);",
    )
    _, found = only(ask(text))
    assert found.hangs is not None
    assert found.hangs.whole == "no execution has a cycle in po | asw | rf | co | fr"


def test_barriers_bring_order_that_schedules_have_too(ask: Asks) -> None:
    """Two blocks see two writes in different orders, each by a read of one thread that a vote tells another."""
    text = """
    #include <cuda/atomic>
    typedef cuda::atomic<int, cuda::thread_scope_device> Flag;
    __device__ Flag x, y, first, second, never;
    constexpr auto relaxed = cuda::memory_order_relaxed;
    __device__ void see(Flag& one, Flag& other, Flag& told) {
        int seen = 0;
        if (threadIdx.x == 0) seen = one.load(relaxed);
        seen = __syncthreads_or(seen);
        if (threadIdx.x == 1 && seen && other.load(relaxed) == 0) told.store(1, relaxed);
    }
    __global__ void k() {
        if (blockIdx.x == 0) see(x, y, first);
        if (blockIdx.x == 1) see(y, x, second);
        if (blockIdx.x == 2) (threadIdx.x ? x : y).store(1, relaxed);
        if (blockIdx.x == 3 && threadIdx.x == 0 && first.load(relaxed) && second.load(relaxed))
            while (never.load(relaxed) == 0);
    }
    //@ launch k<<<4, 2>>>();
    //@ expect terminates under fair;
    """
    assert only(ask(text))[1].verdict == "violated"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(5000, 5000 + (_PROGRAMS or 20)))
def test_where_schedules_are_all_there_is_none_is_missed(write: Callable[..., Path], seed: int) -> None:
    chance = random.Random(seed)
    shape = (
        Shape(scopes=("device",), load=("seq_cst",), store=("seq_cst",), update=("seq_cst",)) if seed % 2 else Shape()
    )
    text = program(chance, shape)
    if seed % 3 == 0:
        text = text.replace("(y)", "(x)").replace("(z)", "(x)")
    (run,) = plan_of(write(text)).runs
    if known_whole(run) is None:
        return
    asked = search(run, "Termination")
    if asked.problem.base.graph.reads_from_pairs > 1000:
        return
    found, answer = solve(asked.problem), explore(progress_problem(run, "Termination").system, "Termination", 20)
    assert found is not None
    assert found[STUCK] is None or not answer.holds


def test_a_loop_that_changes_memory_each_time_is_undecided(ask: Asks) -> None:
    """It stores, and takes back what it has stored."""
    order = "cuda::memory_order_relaxed"
    text = kernel(
        f"while (f.load({order}) == 0) {{ x.store(1, {order}); if (y.load({order}) == 9) break; x.store(0, {order}); }}",
        f"if (x.load({order}) == 1) y.store(1, {order}); f.store(1, {order});",
    )
    _, found = only(ask(text))
    assert found.verdict == "unknown"
    assert "can go round more than 8 times and change something each time" in (found.reason or "")
    assert "unroll = 16;`, or ask about schedules of a sequentially consistent memory alone" in (found.reason or "")
    assert only(ask(text, hangs="sc"))[1].verdict == "holds"


def test_more_turns_are_tried_where_they_can_tell_more(ask: Asks) -> None:
    text = kernel(
        "while (x.fetch_add(1, cuda::memory_order_relaxed) < 5) { if (y.load(cuda::memory_order_relaxed) == 3) f.store(1); }",
        "y.store(1, cuda::memory_order_relaxed);",
    )
    assert only(ask(text))[1].verdict == "holds"


# ---------------------------------------------------------------- timeouts


def test_registers_that_count_turns() -> None:
    body = """
    __device__ cuda::atomic<int, cuda::thread_scope_device> f{0};
    __global__ void k() {
        for (int i = 0; i < 1000; i++) { if (f.load() == 1) break; }
        for (int j = 0; j < 1000; j++) f.load();
        int n = 0; while (f.load() == 0) { if (f.load() == 2) n++; if (n == 500) break; }
        int m = 9; while (f.load() == 0 && m > 0) m -= 3;
    }
    //@ launch k<<<1, 1>>>();
    """
    graph = own_heads(program_of(f"#include <cuda/atomic>\n{body}", reader="scoped").threads[1].body)
    found = [dict(fact.counters) for fact in facts(graph)]
    assert sorted(map(str, found)) == ["{'i': 1}", "{'m': -3}", "{}", "{}"]


def test_a_wait_that_gives_up(ask: Asks) -> None:
    """One that counts its turns does, one that a clock bounds if it is said to."""
    assert only(ask(kernel("int n = 0; while (f.load() == 0) { if (++n == 500) break; }")))[1].verdict == "holds"
    text = kernel("while (f.load() == 0 && clock64() < 500) ;")
    assert only(ask(text))[1].verdict == "violated"
    assert only(ask(f"//@ options timeouts = eventually;\n{text}"))[1].verdict == "holds"


def test_an_execution_that_gets_stuck_does_not_give_up(ask: Asks) -> None:
    """It sees each other thread too late, and waits until a clock says that it takes too long."""
    waits = _SLEEPS.replace("go.load({o}) == 0", "go.load({o}) == 0 && clock64() < 500")
    text = kernel(*(part.replace("{o}", "cuda::memory_order_relaxed") for part in (waits, _WAKES)))
    _, found = only(ask(text))
    assert found.verdict == "violated"
    assert "the wait at line 5 does not give up (timeouts = never)" in (found.reason or "")
    lines = list(outcome_lines(ask(text.replace("terminates", "may_hang")), verbose=False, quiet=False, width=200))
    assert any("holds" in line and "(the wait at line 5 does not give up (timeouts = never))" in line for line in lines)
    assert only(ask(f"//@ options timeouts = eventually;\n{text}"))[1].verdict == "holds"


def test_what_comes_after_giving_up(ask: Asks) -> None:
    """What a thread does that has given up can hang, too."""
    text = kernel(
        "int n = 0; while (f.load() == 0 && n < 500) n++; if (n == 500) while (go.load() == 0);", "f.store(1);"
    )
    assert only(ask(text))[1].verdict == "violated"
