"""Phases of a ``cuda::barrier``: whether threads get through, against a simulation of [thread.barrier.class]/1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

from scopec.engines.embedded.progress.fair_cycles import solve
from scopec.progress.build import build
from scopec.progress.rules import phases
from scopec.progress.terms import Call, Number, Op, Record
from tests.conftest import program_of
from tests.samples import programs

pytestmark = pytest.mark.usefixtures("kept_machines")

COUNT = 3 * programs(4, 10)
#: A member function of the barrier: its name, and how many arrivals it makes.
Member = tuple[str, int]
MEMBERS = {
    "arrive": "(void)b.arrive({n});",
    "arrive_and_wait": "b.arrive_and_wait();",
    "arrive, then wait": "b.wait(b.arrive({n}));",
    "arrive_and_drop": "b.arrive_and_drop();",
}


class UndefinedError(Exception):
    """More arrive than the phase expects."""


def ends(expected: int, threads: list[list[Member]]) -> bool:
    """Whether every way of the threads leads to their ends; a thread is at a call, and waits for the end of a phase."""
    start = (tuple((0, -1) for _ in threads), 0, expected, expected)
    seen, work = {start}, [start]
    while work:
        at, phase, initial, current = work.pop()
        steps = []
        for t, (number, waits) in enumerate(at):
            if number == len(threads[t]) or waits == phase:
                continue
            name, n = threads[t][number]
            left = current - n
            if left < 0:
                raise UndefinedError
            for_each = initial - 1 if name == "arrive_and_drop" else initial
            after = list(at)
            after[t] = (number + 1, phase if "wait" in name else -1)
            steps.append(
                (tuple(after), phase, for_each, left) if left else (tuple(after), phase + 1, for_each, for_each)
            )
        waiting = any(number < len(threads[t]) or waits == phase for t, (number, waits) in enumerate(at))
        if not steps and waiting:
            return False
        work += [state for state in steps if state not in seen]
        seen.update(steps)
    return True


def program(random: Random) -> tuple[int, list[list[Member]]]:
    """How many arrivals a barrier expects, and what threads call."""
    while True:
        expected = random.randint(1, 4)
        threads = []
        for _ in range(random.randint(1, 3)):
            names = random.choices(
                ("arrive", "arrive_and_wait", "arrive, then wait"), (1, 4, 3), k=random.randint(0, 3)
            )
            calls = [(name, random.choice((1, 1, 1, 2)) if "_and_" not in name else 1) for name in names]
            threads.append([*calls, *([("arrive_and_drop", 1)] if random.random() < 0.5 else [])])
        try:
            ends(expected, threads)
        except UndefinedError:
            continue
        return expected, threads


def terminates(expected: int, threads: list[list[Member]]) -> bool:
    lines = ["#include <cuda/barrier>", f"__device__ cuda::barrier<cuda::thread_scope_device> b({expected});"]
    lines += ["__global__ void k() {"]
    for t, calls in enumerate(threads):
        body = " ".join(MEMBERS[name].format(n=n) for name, n in calls)
        lines.append(f"    if (threadIdx.x == {t}) {{ {body} }}")
    lines += ["}", f"int main() {{ k<<<1, {len(threads)}>>>(); cudaDeviceSynchronize(); }}"]
    return bool(solve(build(program_of("\n".join(lines))), "Termination").holds)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(COUNT))
def test_threads_get_through_as_in_the_simulation(seed: int) -> None:
    expected, threads = program(Random(seed))
    assert terminates(expected, threads) == ends(expected, threads), (expected, threads)


def test_random_programs_end_and_hang() -> None:
    found = [ends(*program(Random(seed))) for seed in range(COUNT)]
    assert 0.2 < sum(found) / len(found) < 0.8


def without(field: str, term: Any) -> Any:
    """A term in which a field of the barrier that it gives stays as it is."""
    match term:
        case Record():
            return replace(term, fields=tuple((name, value) for name, value in term.fields if name != field))
        case Op():
            return replace(term, operands=tuple(without(field, operand) for operand in term.operands))
        case Call():
            return replace(term, arguments=tuple(without(field, argument) for argument in term.arguments))
        case _:
            return term


def early(term: Any) -> Any:
    """An arrival that ends its phase where two are pending."""
    condition, over, more = term.operands
    return replace(term, operands=(replace(condition, operands=(condition.operands[0], Number(2))), over, more))


#: A definition, and what is done to it.
MUTATIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a drop leaves what is expected": ("Drop", partial(without, "expected")),
    "an arrival leaves what is pending": ("Arrive", partial(without, "pending")),
    "the last arrival begins no phase": ("Arrive", partial(without, "phase")),
    "a phase ends before its last arrival": ("Arrive", early),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_every_part_of_an_arrival_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rule, change = MUTATIONS[name]
    own = tuple(replace(d, body=change(d.body)) if d.name == rule else d for d in phases.PHASES.own)
    monkeypatch.setattr(phases, "PHASES", replace(phases.PHASES, own=own))
    assert any(terminates(*found) != ends(*found) for found in map(program, map(Random, range(COUNT))))
