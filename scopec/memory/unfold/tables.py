"""Objects that nobody writes, or the host alone before it launches anything: what plain reads of them return."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.effects import place_of
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from scopec.memory.events.events import Event
    from scopec.program.observe import Location
    from scopec.program.program import Program
    from scopec.program.values import Value


def writers(program: Program) -> Mapping[str, frozenset[str]]:
    """For each object the threads whose text has a write to it."""
    found: dict[str, set[str]] = {n: set() for n, o in program.objects.items() if o.use is ir.Use.DATA}
    for thread in program.threads:
        for node in thread.body.nodes.values():
            operation = node.operation if isinstance(node, ir.Do) else None
            place = None if operation is None or isinstance(operation, ir.Load) else place_of(operation)
            if place is not None and place.object in found:
                found[place.object].add(thread.name)
    return {name: frozenset(threads) for name, threads in found.items()}


def set_up(events: Iterable[Event], launches: Collection[str]) -> Mapping[str, Mapping[Location, Value]]:
    """The values that the host's events write before the first of its launches, to objects to which it writes constants
    alone, and then nothing.
    """
    found: dict[str, dict[Location, Value]] = defaultdict(dict)
    open_: set[str] = set()
    launched = False
    for event in events:
        launched = launched or event.id in launches
        if event.writes and event.location is not None:
            plain = not (event.atomic or event.volatile or event.operands) and event.guard.always
            if launched or not plain or not isinstance(event.value, Const):
                open_.add(event.location.object)
            else:
                found[event.location.object][event.location] = event.value
    return {name: written for name, written in found.items() if name not in open_}
