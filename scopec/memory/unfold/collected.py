"""From what was collected of threads to their event graph: initial writes, and what orders threads with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.memory.domains.domains import may_fail, possible_values
from scopec.memory.events.events import Event, EventGraph, Final, Kind, location_names, shown_location
from scopec.memory.unfold import copies, phases
from scopec.memory.unfold.asw import Ordering
from scopec.memory.unfold.registration import mapped
from scopec.memory.unfold.unfolding import Unfolding, defined, merge
from scopec.program import ir, values
from scopec.program.observe import Location
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from scopec.base.source import Span
    from scopec.memory.events.events import Assertion
    from scopec.memory.events.guards import Guard
    from scopec.program.program import Program
    from scopec.program.values import Value


def safe_assertions(found: EventGraph, mentioned: Iterable[int] = ()) -> frozenset[tuple[str, Span, str]]:
    """The implicit assertions of a graph that hold whatever is read."""
    if not found.faults:
        return frozenset()
    known = possible_values(found, mentioned, [a.condition for a in found.faults])
    doubtful = {_identity(a) for a in may_fail(found, known)}
    return frozenset(_identity(a) for a in found.faults) - doubtful


def _identity(assertion: Assertion) -> tuple[str, Span, str]:
    return assertion.thread, assertion.span, assertion.text


def graph(
    out: Unfolding,
    impossible: Iterable[tuple[Guard, Value]],
    watched: Collection[tuple[str, str]] = (),
    asleep: Mapping[str, tuple[str, ...]] | None = None,
    present: Mapping[str, Guard] | None = None,
) -> EventGraph:
    """The graph of what was collected, initial writes and what orders threads added.

    ``present`` says where a thread gets to its end, of those that something may stop.
    """
    out.events = [*_initial_writes(out), *out.events]
    ordering = Ordering(out)
    asw = tuple(ordering.synchronises())  # first: they have conditions of their own
    return replace(
        collected(out, impossible),
        asw=asw,
        issue=tuple(ordering.order.chosen()),
        finals=_finals(out, watched, present or {}),
        mapped=mapped(ordering),
        asleep=asleep or {},
    )


def collected(out: Unfolding, impossible: Iterable[tuple[Guard, Value]]) -> EventGraph:
    """The events collected so far, as a graph in which nothing orders threads."""
    return EventGraph(
        out.program,
        tuple(out.events),
        tuple(out.conditions),
        out.choices,
        (),
        (),
        tuple(impossible),
        tuple(out.assertions),
        tuple(out.cuts),
        {},
        out.control,
        frozenset(thread for thread, _ in out.ends),
        out.unrolled,
        out.addresses,
        tuple(out.unset),
        waits=tuple(out.waits),
        watches_several=out.watches_several,
        done=tuple(copies.done(out)),
        phases=phases.related(out),
    )


def started(out: Unfolding) -> Iterator[tuple[ir.Thread, Guard]]:
    """The threads that some path starts, each with where it does, after the threads that start it are executed."""
    created = created_threads(out.program)
    waiting = list(out.program.threads)
    while True:
        for thread in waiting:
            start = out.creations.get(thread.name) if thread.grid is None else out.launches.get(thread.grid)
            if start is not None or (thread.grid is None and thread.name not in created):
                waiting.remove(thread)
                yield thread, out.guards.always if start is None else out.guard_of(start)
                break
        else:
            return  # what is left is created or launched on no path


def created_threads(program: Program) -> frozenset[str]:
    """The host threads that others create."""
    return frozenset(
        node.operation.thread
        for thread in (program.host, *program.others)
        for node in thread.body.nodes.values()
        if isinstance(node, ir.Do) and isinstance(node.operation, ir.CreateThread)
    )


def _initial_writes(out: Unfolding) -> list[Event]:
    """One initial write for each location that is accessed, in the order in which the objects are declared."""
    program = out.program
    accessed: set[Location] = {e.location for e in out.events if e.location is not None}
    order = list(program.objects)
    found = []
    locations = sorted(accessed, key=lambda at: (order.index(at.object), at.instance, at.index))
    names = location_names(locations, program)
    for location in locations:
        object_ = program.objects[location.object]
        initial = object_.values[location.index]
        value = Const(0 if initial is None else initial, object_.type)
        text = f"{shown_location(location, program)} = {value.value} (initially)"
        found.append(
            Event(f"init_{names[location]}", Kind.INIT, "", object_.span, out.guards.always, text, location, value)
        )
    return found


def _finals(
    out: Unfolding, observed: Collection[tuple[str, str]], present: Mapping[str, Guard]
) -> dict[tuple[str, str], Final]:
    """Final values of observed registers: the ends of a thread merged; a thread that is stopped before has none."""
    found: dict[tuple[str, str], Final] = {}
    for thread, register in sorted(observed):
        ends = [state for name, state in out.ends if name == thread]
        if ends:
            merged = merge(ends, out.conditions)
            if register in merged.registers:
                has_one = merged.registers[defined(register)]
                if thread in present:
                    has_one = values.binary("&&", has_one, present[thread].value(out.conditions))
                found[thread, register] = Final(merged.registers[register], has_one)
    return found
