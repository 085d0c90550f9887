"""The differences between two executions of a program, and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.memory.events.events import Kind, shown_location

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution


def distance(one: Execution, other: Execution) -> int:
    """The number of differences: reads of other writes, events that one of them has, and writes in another order."""
    return len(list(differences(one, other)))


def differences(one: Execution, other: Execution) -> Iterator[str]:
    """How another execution differs from one, a sentence each.

    Of what both graphs have: where one of them has only a part of the program's events, the others make no difference.
    """
    known = one.graph.by_id.keys() & other.graph.by_id.keys()
    here, there = ({e.id: e for e in x.events if e.id in known} for x in (one, other))
    for event in [*there.values(), *(e for e in here.values() if e.id not in there)]:
        if event.id not in here:
            yield f"{_name(event)} is executed"
        elif event.id not in there:
            yield f"{_name(event)} is not executed"
    sources, others = ({read: write for write, read in x.choice.rf} for x in (one, other))
    for event in there.values():
        if event.id in here and event.kind is Kind.READ and sources.get(event.id) != others.get(event.id):
            now = _returned(other, event, others.get(event.id))
            yield f"{_name(event)} returns {now}, not {_returned(one, event, sources.get(event.id))}"
    executed = here.keys() & there.keys()
    for a, b in sorted(other.choice.co):
        if (b, a) in one.choice.co and {a, b} <= executed:
            yield f"{_name(there[a])} comes before {_name(there[b])} in coherence order, and not behind it"


def _name(event: Event) -> str:
    return f"`{event.text}` of {event.thread or 'the start'} at line {event.span.line}"


def _returned(execution: Execution, read: Event, source: str | None) -> str:
    value = execution.values.get(read.id)
    if source is None or read.location is None:
        return str(value)
    write = execution.graph.by_id[source]
    name = shown_location(read.location, execution.graph.program)
    where = "the initial value" if write.kind is Kind.INIT else f"from line {write.span.line}"
    return f"{name} = {value} ({where})"
