"""A printable form of an event graph, for tests and for ``scopec compile --show events``."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from scopec.memory.events.events import Kind, Left
from scopec.program.types import BOOL
from scopec.program.values import Reg, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.memory.events.events import Cut, Event, EventGraph
    from scopec.memory.events.guards import Guard
    from scopec.program.values import Value


def show_events(graph: EventGraph) -> str:
    """The events by thread, each with when it is executed, then what is said of them together."""
    return "".join(f"{line}\n" for line in _lines(graph))


def _lines(graph: EventGraph) -> Iterator[str]:
    names = [Reg(f"c{number}", BOOL) for number in range(len(graph.conditions))]

    def when(guard: Guard) -> str:
        return "" if guard.always else f" when {show(guard.value(names))}"

    for name, condition in zip(names, graph.conditions, strict=True):
        yield f"{name.name} is {show(condition)}"
    for thread, events in groupby(graph.events, lambda event: event.thread):
        yield f"events of {thread}" if thread else "initial values"
        for event in events:
            last = " (the last value)" * event.last
            yield f"  {event.id}: {event.text}{last}{_stored(event)}{when(event.guard)}    (line {event.span.line})"
    for choice in graph.choices.values():
        yield f"{choice.register} is one of {', '.join(map(str, choice.values))}"
    for one in graph.asw:
        yield f"{_named(one.before, graph)} before {_named(one.after, graph)}{_where(one.when)}: {one.why}"
    for one in graph.issue:
        yield f"{_named(one.before, graph)} issued before {_named(one.after, graph)}{_where(one.when)}"
    for guard, value in graph.impossible:
        yield f"impossible: {show(value)}{when(guard)}"
    for assertion in graph.assertions:
        kind = "requires" if assertion.implicit else "asserts"
        yield f"{assertion.thread} {kind} {show(assertion.condition)}{when(assertion.guard)}: {assertion.text}"
    for cut in graph.cuts:
        yield f"{cut.thread} does not go on{when(cut.guard)}: {_why(cut)}    (line {cut.span.line})"
    for (thread, register), final in graph.finals.items():
        yield f"{register} of {thread} ends as {show(final.value)}{_where(final.defined)}"


def _named(ids: tuple[str, ...], graph: EventGraph) -> str:
    """Events by their names; all those of a thread by the thread's."""
    found: list[str] = []
    for thread, events in groupby(graph.events, lambda event: event.thread):
        own = [event.id for event in events]
        named = [name for name in own if name in ids]
        found += [f"all of {thread}" if thread else "initial values"] if named == own and len(own) > 1 else named
    return ", ".join(found)


def _why(cut: Cut) -> str:
    """The reason why a thread does not go on; in a graph of stuck executions, the condition in which it is left for
    ever.
    """
    if cut.fault or cut.stopped:
        return "undefined" if cut.fault else "stopped"
    if cut.left not in (None, Left.WAITING, Left.BEYOND):
        return str(cut.left.value)
    return "waits" if cut.wait else "beyond the bound"


def _stored(event: Event) -> str:
    return "" if event.value is None or event.kind is Kind.INIT else f" <- {show(event.value)}"


def _where(value: Value | None) -> str:
    return "" if value is None or show(value) == "true" else f" when {show(value)}"
