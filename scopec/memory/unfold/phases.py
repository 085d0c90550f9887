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
            if operation.ordered:
                found.ordered.add(read)
        if state.agent:
            found.changes[read] = phase


def related(out: Unfolding) -> dict[str, tuple[Synchronises, ...]]:
    """The pairs that phases relate, by the names of the given relations."""
    if not out.phases.looks and not out.phases.arrivals:
        return {}
    found = {"phase": _arrived, "complete": _completed, "later": _later, "served": _served}
    return {name: tuple(edges(out)) for name, edges in found.items()}


def _arrived(out: Unfolding) -> Iterator[Synchronises]:
    """The writes of arrivals, before the looks that find their phase over."""
    yield from _over(out, out.phases.arrivals, lambda event: () if event.agent else _write(event), "arrivals")


def _write(arrival: Event) -> tuple[str, ...]:
    """The write of an arrival; none of one in a turn that is repeated for ever, for that changes nothing."""
    return () if arrival.rmw is None else (arrival.rmw,)


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
    """Edges from events to the looks that find the phase over in which a change was made."""
    for change, phase, look, found, over in _looks(out, changes):
        if group := tuple(before(change)):
            following = values.binary("==", values.binary("+", phase, Const(1, types.LONG)), found)
            yield from _edge(group, (look.id,), why, values.binary("&&", following, over))


def _later(out: Unfolding) -> Iterator[Synchronises]:
    """The write of each arrival, before itself, where it is of a later phase than the first."""
    events = {event.id: event for event in out.events}
    for arrival, phase in out.phases.arrivals.items():
        if arrival in events and (write := _write(events[arrival])):
            first = values.binary("%", phase, Const(PHASES, types.LONG))
            yield from _edge(write, write, "a later phase", values.binary("!=", first, Const(0, types.LONG)))


def _served(out: Unfolding) -> Iterator[Synchronises]:
    """The looks that find the phase over before an arrival's, and the write of that arrival."""
    for arrival, phase, look, found, over in _looks(out, out.phases.arrivals):
        when = values.binary("&&", values.binary("==", phase, found), over)
        if write := _write(arrival):
            yield from _edge((look.id,), write, "a wait", when)


def _looks(out: Unfolding, changes: dict[str, Value]) -> Iterator[tuple[Event, Value, Event, Value, Value]]:
    """Each change of an mbarrier and each look at it, with the phases that they find, and where that is over."""
    events = {event.id: event for event in out.events}
    for change, phase in changes.items():
        for look, (found, over) in out.phases.looks.items():
            if change in events and look in events and events[change].location == events[look].location:
                yield events[change], phase, events[look], found, over


def _edge(before: tuple[str, ...], after: tuple[str, ...], why: str, when: Value) -> Iterator[Synchronises]:
    """An edge between two events where a condition holds, unless it never does."""
    if when != values.FALSE:
        yield Synchronises(before, after, why, None if isinstance(when, Const) else when)
