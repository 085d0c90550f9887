"""Phases of mbarriers: which arrivals and copies a wait finds complete, and which arrivals come too early.

What orders memory is the phase, not who read what from whom: "all memory accesses requested prior, in program order,
to mbarrier.arrive [...] during the completed phase" are visible to who finds it completed (PTX ISA,
"mbarrier.test_wait").  So a wait that finds the phase p over synchronises with the arrivals of the phase p alone, and
with the accesses of the copies that complete in it.  The state says p + 1 then: "test_wait [...] when the state operand
is that of the current or the immediately preceding phase", and a wait by parity is about the phase before the one that
it finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.memory.events.events import Synchronises
from scopec.memory.unfold.barriers import PHASES
from scopec.program import ir, types, values
from scopec.program.values import Const, leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scopec.base.source import Span
    from scopec.memory.events.events import Event
    from scopec.memory.unfold.accesses import Accesses
    from scopec.memory.unfold.unfolding import State, Unfolding
    from scopec.program.values import Value


def note(run: Accesses, state: State, operation: ir.AtBarrier, span: Span) -> None:
    """Note of the read that has just been made of an mbarrier what it is: an arrival, a change, or a look."""
    phase, found = run.value(state, operation.phase, span), run.out.phases
    over = None if operation.over is None else run.value(state, operation.over, span)
    reads = [leaf.name for leaf in leaves(phase)]
    for read in dict.fromkeys(reads):
        if over is not None:
            found.looks[read] = phase, over
            continue
        if operation.arrives:
            found.arrivals[read] = phase
        if state.agent:
            found.changes[read] = phase


def related(out: Unfolding) -> dict[str, tuple[Synchronises, ...]]:
    """What phases relate, by the names of the given relations."""
    if not out.phases.looks and not out.phases.arrivals:
        return {}
    found = {"phase": _arrived, "complete": _completed, "later": _later, "served": _served}
    return {name: tuple(edges(out)) for name, edges in found.items()}


def _arrived(out: Unfolding) -> Iterator[Synchronises]:
    """The writes of arrivals, before the looks that find their phase over."""
    yield from _over(out, out.phases.arrivals, lambda event: () if event.agent else (event.rmw or "",), "arrivals")


def _completed(out: Unfolding) -> Iterator[Synchronises]:
    """The accesses of copies, before the looks that find the phase over in which these complete."""
    accesses: dict[str, list[str]] = {}
    for event in out.events:
        if event.agent and event.id not in out.phases.changes and event.rmw not in out.phases.changes:
            accesses.setdefault(event.agent, []).append(event.id)

    def of(event: Event) -> Iterable[str]:
        copy = out.copies[event.agent]
        return (a for one in (event.agent, *copy.earlier) for a in accesses.get(one, ()))

    yield from _over(out, out.phases.changes, of, "completion of a copy")


def _over(
    out: Unfolding, changes: dict[str, Value], before: Callable[[Event], Iterable[str]], why: str
) -> Iterator[Synchronises]:
    events = {event.id: event for event in out.events}
    for change, phase in changes.items():
        if change not in events or not (group := tuple(before(events[change]))):
            continue
        for look, (found, over) in out.phases.looks.items():
            if look in events and events[look].location == events[change].location:
                following = values.binary("==", values.binary("+", phase, Const(1, types.LONG)), found)
                when = values.binary("&&", following, over)
                if when != values.FALSE:
                    yield Synchronises(group, (look,), why, None if isinstance(when, Const) else when)


def _later(out: Unfolding) -> Iterator[Synchronises]:
    """The write of each arrival, before itself, where it is of a later phase than the first."""
    events = {event.id: event for event in out.events}
    for arrival, phase in out.phases.arrivals.items():
        when = values.binary("!=", values.binary("%", phase, Const(PHASES, types.LONG)), Const(0, types.LONG))
        if arrival in events and when != values.FALSE:
            write = events[arrival].rmw or ""
            yield Synchronises((write,), (write,), "a later phase", None if isinstance(when, Const) else when)


def _served(out: Unfolding) -> Iterator[Synchronises]:
    """The looks that find the phase over before an arrival's, and the write of that arrival."""
    events = {event.id: event for event in out.events}
    for arrival, phase in out.phases.arrivals.items():
        for look, (found, over) in out.phases.looks.items():
            known = arrival in events and look in events
            if known and events[arrival].location == events[look].location:
                when = values.binary("&&", values.binary("==", phase, found), over)
                if when != values.FALSE:
                    write = (events[arrival].rmw or "",)
                    yield Synchronises((look,), write, "a wait", None if isinstance(when, Const) else when)
