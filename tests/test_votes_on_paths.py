"""Votes in a loop around a lock: the phase of each is the number of votes on the way, which branches decide."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random

import pytest

from scopec.memory.domains import dependencies
from scopec.memory.events.guards import Guard, Guards
from scopec.memory.unfold import cases
from scopec.memory.unfold.cases import alike
from scopec.program.types import BOOL, INT
from scopec.program.values import Binary, Choose, Const, Reg, Value, binary, evaluate
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from tests.samples import programs

Write = Callable[..., Path]

LOCK = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> lock;
__device__ int counter;
__global__ void k() {{
    bool done = false;
    while (!__all_sync(3, done))
        if (!done && lock.exchange(1, cuda::memory_order_{order}) == 0) {{
            counter++;
            lock.store(0, cuda::memory_order_release);
            done = true;
        }}
}}
//@ launch k<<<{blocks}, 2>>>();
//@ expect race_free;
"""
TESTS = tuple(Reg(name, BOOL) for name in "abcd")


def number(chance: Random, depth: int = 3) -> Value:
    """A number that branches decide, as counts on different ways are."""
    if depth == 0 or chance.random() < 0.2:
        return Const(chance.randrange(3), INT)
    if chance.random() < 0.4:
        return Binary("+", number(chance, depth - 1), Const(chance.randrange(3), INT), INT)
    test = chance.choice(TESTS)
    if chance.random() < 0.3:
        test = binary(chance.choice(("&&", "||")), test, chance.choice(TESTS))
    return Choose(test, number(chance, depth - 1), number(chance, depth - 1), INT)


@pytest.mark.parametrize("seed", range(programs(30, 200)))
def test_a_number_is_another_where_branches_make_it(seed: int) -> None:
    chance, guards = Random(seed), Guards()

    def literal(value: Value) -> Guard:
        match value:
            case Reg(name, _):
                return guards.literal("abcd".index(name), True)
            case Binary("&&", left, right):
                return literal(left) & literal(right)
            case Binary("||", left, right):
                return literal(left) | literal(right)
        raise AssertionError(value)

    left, right = number(chance), number(chance)
    found = alike(left, right, literal, guards)
    assert found is not None
    for outcomes in product((False, True), repeat=4):
        known = dict(zip("abcd", map(int, outcomes), strict=True))
        mine, its = (evaluate(value, lambda leaf, at=known: at[leaf.name]) for value in (left, right))
        assert found.holds(outcomes) is (mine == its)


def test_a_number_that_is_read_is_left_as_it_is() -> None:
    guards = Guards()
    read = Reg("r", INT)
    assert alike(read, Const(1, INT), lambda _: guards.always, guards) is None
    assert alike(Const(1, INT), Binary("+", read, Const(1, INT), INT), lambda _: guards.always, guards) is None


@pytest.mark.parametrize(("order", "verdict"), [("acquire", "holds"), ("relaxed", "violated")])
@pytest.mark.sampled(1)
def test_a_vote_around_a_lock_is_answered(order: str, verdict: str, write: Write) -> None:
    """Without the argument guards have millions of nodes."""
    path = write(LOCK.format(order=order, blocks=2), "t.cu")
    (run,) = plan(path, "t.cu", Overrides()).runs
    assert len(run.graph.events[-1].guard.guards._nodes) < 50_000
    (outcome,) = check([path], Settings(Overrides(cache=True), engine="embedded", timeout=60, cache=False))
    (found,) = outcome.reports[0].checks
    assert found.verdict == verdict


def test_meetings_add_no_conditions(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a turn and its end: in more they have millions of nodes without the argument."""
    few_turns = Overrides(unroll=1, without=frozenset({"rounds"}))

    def conditions() -> int:
        (run,) = plan(write(LOCK.format(order="acquire", blocks=1), "t.cu"), "t.cu", few_turns).runs
        return len(run.graph.conditions)

    few = conditions()
    monkeypatch.setattr(cases, "_cases", lambda *_: None)
    assert few < conditions()


def test_votes_that_hang_on_themselves_leave_dependencies_undecided(write: Write) -> None:
    """Who takes part in a vote may hang on its result; what depends on it is not decided then, and no wrong answer."""
    (run,) = plan(write(LOCK.format(order="acquire", blocks=2), "t.cu"), "t.cu", Overrides()).runs
    assert dependencies.CIRCULAR in run.base.real.undecided.values()
