"""Events of an execution by what a user calls them: an id, a line, or a line of a thread or of a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.diagnostics import UsageError, suggestion
from scopec.memory.events.events import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution

_PLACE = re.compile(r"(?:(?P<where>.+):)?(?P<line>[0-9]+)")
#: Candidates and lines that are named.
_MOST = 12


def pair(execution: Execution, first: str, last: str) -> tuple[Event, Event]:
    """Two events by their names: of a read-modify-write the write where it comes first, and the read where it is last.

    So "before" is that of whole operations.  UsageError where a name is of no event or of several, or both of one.
    """
    found = _events(execution, first), _events(execution, last)
    one, other = _one(first, found[0], Kind.WRITE), _one(last, found[1], Kind.READ)
    if one is other or one.rmw == other.id or other.rmw == one.id:
        raise UsageError(f"`{first}` and `{last}` are one event, or one operation: name two")
    return one, other


def _events(execution: Execution, name: str) -> list[Event]:
    """The executed events that a name is of."""
    events = execution.events
    if found := [e for e in events if e.id == name]:
        return found
    place = _PLACE.fullmatch(name)
    if place is None:
        raise UsageError(f"there is no event `{name}` in this execution: {_known(execution, name)}")
    where, line = place["where"], int(place["line"])
    main = execution.graph.program.source.name
    found = [e for e in events if e.thread and e.span.line == line and _at(e, where, main)]
    if found:
        return found
    if any(e.thread and e.span.line == line and _at(e, where, main) for e in execution.graph.events):
        raise UsageError(f"no event at `{name}` is executed in this execution: its threads take another path")
    raise UsageError(f"there is no event at `{name}` in this execution: {_lines(execution, where, main)}")


def _at(event: Event, where: str | None, main: str) -> bool:
    """Whether an event is of a thread or in a file of a name; without one in the program's own."""
    file = event.span.file.replace("\\", "/")
    if where is None:
        return event.span.file == main
    return event.thread == where or file == where or file.endswith(f"/{where}")


def _one(name: str, found: Sequence[Event], half: Kind) -> Event:
    """The event of some of one operation; UsageError with the candidates where there are more operations."""
    operations = {frozenset({e.id, e.rmw or _half(found, e)}) for e in found}
    if len(operations) == 1:
        return next((e for e in found if e.kind is half), found[0])
    shown = ", ".join(f"{e.id} (`{e.text}` of {e.thread})" for e in found[:_MOST])
    more = f", and {len(found) - _MOST} more" if len(found) > _MOST else ""
    raise UsageError(f"`{name}` is of {len(found)} events, name one of them: {shown}{more}")


def _half(found: Sequence[Event], event: Event) -> str:
    """The other half of a read-modify-write, of which only the read names the write."""
    return next((e.id for e in found if e.rmw == event.id), event.id)


def _known(execution: Execution, name: str) -> str:
    ids = [e.id for e in execution.events]
    if (near := suggestion(name, ids)) is not None:
        return near
    shown = ", ".join(e.id for e in execution.events if e.thread)
    return f"there are {shown}; a line will do too, as in `12`, `{_example(execution)}:12` or `lock.h:12`"


def _example(execution: Execution) -> str:
    return next((e.thread for e in execution.events if e.thread), "k[0][0]")


def _lines(execution: Execution, where: str | None, main: str) -> str:
    inside = [e for e in execution.events if e.thread and _at(e, where, main)]
    if not inside:
        threads = dict.fromkeys(e.thread for e in execution.events if e.thread)
        near = suggestion(where or "", threads)
        return near or f"`{where}` is none of its threads ({', '.join(threads)}), nor a file"
    lines = ", ".join(str(line) for line in sorted({e.span.line for e in inside}))
    return f"there are some at line {lines} (a race's execution has only what shows it; `--without all` leaves in more)"
