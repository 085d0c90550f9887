"""The order of accesses to tensor memory, which is one of its own: tcgen05."""

from __future__ import annotations

from typing import Protocol

from tests.oracles.asynchronous import program as p
from tests.oracles.asynchronous.machine import Machine
from tests.oracles.asynchronous.states import Event


class Run(Protocol):
    """What is asked of a run."""

    machine: Machine
    events: list[Event]
    executed: list[int]

    def of(self, *kinds: str) -> list[tuple[int, Event]]: ...
    def agents(self) -> list[tuple[int, Event]]: ...
    def po_(self, x: int, y: int) -> bool: ...
    def observers(self, e: Event) -> list[int]: ...


def ordered(run: Run, x: int, y: int) -> bool:
    """tcgen05, by the examples of "Canonical synchronization patterns" [P 9.7.18.6]: x is complete behind a wait::ld of
    its thread, or behind a true wait for the phase in which its commit arrived and an after_thread_sync fence of that
    thread; y is issued behind that, or in a thread that synchronises with it, between a before_thread_sync fence there
    and an after_thread_sync fence here. Two of a pipeline need no completion."""
    issue = next(i for i, e in run.of("issue") if e.covers[0][0] == run.events[y].agent)
    known: list[int] = []  # behind these in their threads x is complete
    for w in _ends_of(run, x):
        if run.events[w].kind == "group":
            known.append(w)
        else:
            known += [g for g, h in run.of("tcfence") if h.what == "after" and run.po_(w, g)]
    if any(run.po_(w, issue) or _handed(run, w, issue) for w in known):
        return True
    first = next(i for i, e in run.of("issue") if e.covers[0][0] == run.events[x].agent)
    return _piped(run, x, y) and (run.po_(first, issue) or _handed(run, first, issue))


def _ends_of(run: Run, x: int) -> set[int]:
    """The waits that find x complete: a wait for a phase in "execution order", whether or not it acquires."""
    mine = (run.events[x].agent, run.events[x].part)
    ends = {w for w, f in run.of("group") if mine in f.covers}
    return ends | {y for _, e in run.agents() if e.kind == "mbarrier" and mine in e.covers for y in run.observers(e)}


def _handed(run: Run, w: int, issue: int) -> bool:
    """w ; po ; before_thread_sync ; execution order ; after_thread_sync ; po ; issue"""
    sides = {side: [g for g, h in run.of("tcfence") if h.what == side] for side in ("before", "after")}
    return any(
        run.po_(w, b) and run.executed[b] >> a & 1 and run.po_(a, issue)
        for b in sides["before"]
        for a in sides["after"]
    )


def _piped(run: Run, x: int, y: int) -> bool:
    """mma and mma "(same N and accumulator, shape and kind)": all of these programs have one shape and kind."""
    code = [run.machine.instruction(*run.events[z].agent[1:]) for z in (x, y)]
    return all(isinstance(i, p.TcMma) for i in code) and code[0].dst == code[1].dst
