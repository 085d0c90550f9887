"""The parts of a program that two readers have to agree on, in a form in which two Programs of one text are equal.

The readers need not agree on registers, on the shape of control flow, nor on how a turn of a loop is told from the next.
What they may differ in beside that is left out here, and nothing else is:

* **Paths.**  Program order is between places of the text, not between events: clang's machine goes on apart where
  paths differ in what is known, so that one access of the text is one event on each of them, and their events stand in
  another order in the list; and it takes turns of a loop that are known one by one, so that a bound on turns ends later.
* **Variables of one thread.**  What only its own thread accesses may be a register: automatic objects (or locals of the
  host) that one thread alone accesses are no events.
"""

from __future__ import annotations

from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from scopec.memory.domains.domains import circular_reads, possible_values
from scopec.memory.events.events import Kind, shown_location
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from scopec.memory.domains.domains import Domains
    from scopec.memory.events.events import Event, EventGraph
    from scopec.memory.events.guards import Guard
    from scopec.program.program import Program

#: What an event is, as words; its line is the last.
Row = tuple[str, ...]


class Agreed(NamedTuple):
    """What has to be equal: the parts of a program, what each thread does, in which order, and what orders threads."""

    objects: frozenset[tuple[object, ...]]
    grids: frozenset[tuple[object, ...]]
    events: Mapping[str, frozenset[Row]]
    program_order: Mapping[str, frozenset[tuple[Row, Row]]]
    between_threads: frozenset[tuple[object, ...]]
    values: Mapping[str, frozenset[tuple[Row, int]]]


def agreed(graph: EventGraph) -> Agreed:
    """What another reader of the same text has to say too."""
    known, program = possible_values(graph), graph.program
    private = _private(graph)
    kept = [e for e in graph.events if e.location not in private]
    used = {e.location for e in kept if e.kind is not Kind.INIT}
    kept = [e for e in kept if e.kind is not Kind.INIT or e.location in used]
    rows = {event.id: _row(event, program) for event in kept}
    threads = {thread: list(events) for thread, events in groupby(kept, lambda event: event.thread)}
    together = cache(lambda one, other: one is other or _reached(one & other, graph, known))
    return Agreed(
        frozenset(_objects(program, {e.location.object for e in kept if e.location is not None})),
        frozenset(_grids(program, {e.text for e in kept})),
        {thread: frozenset(rows[e.id] for e in events) for thread, events in threads.items()},
        {
            thread: frozenset(
                (rows[one.id], rows[other.id])
                for at, one in enumerate(events)
                for other in events[at + 1 :]
                if together(one.guard, other.guard)
            )
            for thread, events in threads.items()
            if thread
        },
        frozenset(_between(graph, rows)),
        _values(kept, rows, graph, known),
    )


def differences(one: Agreed, other: Agreed) -> list[str]:
    """What is on one side alone."""
    found = []
    for name in ("objects", "grids", "between_threads"):
        found += _apart(name, getattr(one, name), getattr(other, name))
    for name in ("events", "program_order", "values"):
        mine, its = getattr(one, name), getattr(other, name)
        if name == "values" and not (mine and its):
            continue
        for thread in {**mine, **its}:
            found += _apart(
                f"{name} of {thread or 'nobody'}", mine.get(thread, frozenset()), its.get(thread, frozenset())
            )
    return found


def _apart(what: str, one: frozenset[object], other: frozenset[object]) -> Iterator[str]:
    for sign, rows in (("-", one - other), ("+", other - one)):
        yield from (f"{what}: {sign} {row}" for row in sorted(rows, key=str))


def _reached(guard: Guard, graph: EventGraph, known: Domains) -> bool:
    return guard.always or 1 in known.values(guard.value(graph.conditions))


def _private(graph: EventGraph) -> frozenset[object]:
    """The locations of locals that one thread alone accesses."""
    users: dict[object, set[str]] = {}
    for event in graph.events:
        if event.location is not None and _local(graph.program, event.location.object):
            users.setdefault(event.location, set()).update({event.thread} - {""})
    return frozenset(location for location, threads in users.items() if len(threads) <= 1)


def _local(program: Program, name: str) -> bool:
    """Whether an object is a local variable of a thread, which no other thread need know."""
    threads = {t.name for t in (program.host, *program.others)}
    object_ = program.objects[name]
    return object_.storage is ir.Storage.AUTOMATIC or name.partition(".")[0] in threads


def _row(event: Event, program: Program) -> Row:
    """An event without its name."""
    where = shown_location(event.location, program) if event.location is not None else ""
    words = [
        event.kind.name, where, event.order, event.scope, event.failure, "volatile" * event.volatile,
        "rmw" * (event.rmw is not None), "one access" * event.load_or_store,
        event.text if event.kind in (Kind.CALL, Kind.ARRIVE, Kind.WAIT, Kind.FENCE) else "",
    ]  # fmt: skip
    return (*(getattr(word, "name", word) or "" for word in words), str(event.span.line))


def _objects(program: Program, used: Iterable[str]) -> Iterator[tuple[object, ...]]:
    for name in used:
        one = program.objects[name]
        yield (name, one.type.size, one.type.signed, one.storage.name, one.values, one.array, one.use.name, one.alignment,
               one.device)  # fmt: skip


def _grids(program: Program, texts: Container[str]) -> Iterator[tuple[object, ...]]:
    for grid in program.grids.values():
        if f"launch {grid.name}" in texts:
            yield (grid.name, grid.span.line, str(grid.blocks), str(grid.threads), str(grid.stream), grid.device,
               str(grid.cluster), grid.cooperative, grid.domain, grid.work.name)  # fmt: skip


def _between(graph: EventGraph, rows: Mapping[str, Row]) -> Iterator[tuple[object, ...]]:
    """What orders threads, as pairs of what is ordered in each two of them."""
    owner = {event.id: event.thread for event in graph.events}
    for one in graph.asw:
        for before in one.before:
            for after in one.after:
                if before in rows and after in rows and owner[before]:
                    yield owner[before], rows[before], owner[after], rows[after], one.why, one.barrier


def _values(
    events: Iterable[Event], rows: Mapping[str, Row], graph: EventGraph, known: Domains
) -> Mapping[str, frozenset[tuple[Row, int]]]:
    """What may be read and written at each place.

    Nothing where that is not exact: where counters go on and on, and where values may come from themselves alone.
    """
    found: dict[str, set[tuple[Row, int]]] = {}
    if not known.closed or circular_reads(graph):
        return found  # type: ignore[return-value]
    for event in events:
        if event.location is None:
            continue
        values = known.of[event.id] if event.kind is Kind.READ else known.values(event.value)
        found.setdefault(event.thread, set()).update((rows[event.id], value) for value in values)
    return {thread: frozenset(values) for thread, values in found.items()}
