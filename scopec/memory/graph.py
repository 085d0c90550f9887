"""From a Program to its event graph: every thread executed symbolically, and what orders threads with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.expectations import Location
from scopec.memory.asw import Ordering
from scopec.memory.blocking import block
from scopec.memory.events import Event, EventGraph, Final, Kind, identifier, shown_location
from scopec.memory.symbolic import Collected, defined, execute, merge
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scopec.program import ir


def build(program: ir.Program, unroll: int, observed: Iterable[tuple[str, str]] = ()) -> EventGraph:
    """The event graph of a program, loops unrolled at most ``unroll`` times (1 or more).

    ``observed`` are the (thread, register) pairs whose final values are asked for.  Raises InputError for a local that
    is read before it has a value, an index that is not constant, and programs too large to unroll.
    """
    watched = set(observed)
    out = Collected(program)
    host, *device = program.threads
    for thread in (host, *device):
        guard = out.guards.always
        if thread.grid is not None:
            if thread.grid not in out.launches:
                continue  # a launch that no path reaches
            launch = out.launches[thread.grid]
            guard = next(e.guard for e in out.events if e.id == launch)
        execute(out, thread, guard, unroll, frozenset(r for t, r in watched if t == thread.name))
    impossible = block(out, Ordering(out))
    out.events = [*_initial_writes(out), *out.events]
    ordering = Ordering(out)
    return EventGraph(
        program,
        tuple(out.events),
        tuple(out.conditions),
        out.choices,
        tuple(ordering.synchronises()),
        tuple(impossible),
        tuple(out.assertions),
        tuple(out.cuts),
        _finals(out, watched),
        out.control,
        frozenset(thread for thread, _ in out.ends),
        out.unrolled,
    )


def _initial_writes(out: Collected) -> list[Event]:
    """One initial write for each location that is accessed, in the order in which the objects are declared."""
    program = out.program
    accessed: set[Location] = {e.location for e in out.events if e.location is not None}
    order = list(program.objects)
    found = []
    for location in sorted(accessed, key=lambda at: (order.index(at.object), at.instance, at.index)):
        object_ = program.objects[location.object]
        initial = object_.values[location.index]
        value = Const(0 if initial is None else initial, object_.type)
        name = shown_location(location, program)
        text = f"{name} = {value.value} (initially)"
        found.append(
            Event(f"init_{identifier(name)}", Kind.INIT, "", object_.span, out.guards.always, text, location, value)
        )
    return found


def _finals(out: Collected, observed: set[tuple[str, str]]) -> dict[tuple[str, str], Final]:
    """Final values of observed registers: the ends of a thread merged."""
    found: dict[tuple[str, str], Final] = {}
    for thread, register in sorted(observed):
        ends = [state for name, state in out.ends if name == thread]
        if ends:
            merged = merge(ends, out.conditions)
            if register in merged.registers:
                found[thread, register] = Final(merged.registers[register], merged.registers[defined(register)])
    return found
