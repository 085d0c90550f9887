"""Races between the work of streams, or with the host: which comes too early, and why no event keeps it from that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.explain.synchronisation import broken
from scopec.memory.events.events import Kind, shown_location
from scopec.program import ir
from scopec.program.transfers import staged_copy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution

_SHORT = {"cudaMemcpy": "copy", "cudaMemset": "fill"}


def too_early(execution: Execution, pair: tuple[Event, Event]) -> str | None:
    """What may come before work that was given to a stream earlier; None where a race is not about such."""
    if broken(execution, pair) is not None:
        return None
    for first, second in (pair, pair[::-1]):
        work, later = _work(execution, first), _work(execution, second)
        if work is None or (launch := _launch(execution, first)) is None:
            continue
        does, ends = _does(execution, first, second), f"before {_named(work)} {_has(first)}"
        if later is None and _before(execution, launch, second):
            return f"{second.thread} {does} at line {second.span.line} {ends}: no call before that waits for it"
        if later is None or later.stream.name == work.stream.name:
            continue
        if _before(execution, launch, _launch(execution, second)):
            return f"{_named(later)} {does} {ends}: {_why(execution, launch, later)}"
    return None


def _work(execution: Execution, event: Event) -> ir.Grid | None:
    """The work of a stream that an event belongs to."""
    program = execution.graph.program
    grid = next((thread.grid for thread in program.threads if thread.name == event.thread), None)
    return None if grid is None else program.grids[grid]


def _launch(execution: Execution, event: Event) -> Event | None:
    """The call that gives the work of an event to its stream."""
    grid = _work(execution, event)
    given = (a for a, b in execution.relation("asw") if b is event and a.kind is Kind.CALL)
    return next((a for a in given if grid is not None and a.span == grid.span), None)


def _before(execution: Execution, first: Event, second: Event | None) -> bool:
    return any(a is first and b is second for a, b in execution.relation("po"))


def _named(grid: ir.Grid) -> str:
    """Work, where it was given to its stream, and to which."""
    if staged_copy(grid.name) is not None:
        return f"the call of the copy at line {grid.span.line}"
    stream = "the legacy stream" if grid.stream.kind == "legacy" else f"stream {grid.stream.name}"
    where = f"at line {grid.span.line} in {stream}"
    match grid.work:
        case ir.Work.KERNEL:
            return f"the kernel {grid.kernel} {where}"
        case ir.Work.COPY:
            return f"the {_SHORT.get(grid.kernel, grid.kernel)} {where}"
        case ir.Work.HOST_FUNCTION:
            return f"the function {grid.kernel} {where}"


def _does(execution: Execution, first: Event, second: Event) -> str:
    assert second.location is not None
    name = f"`{shown_location(second.location, execution.graph.program)}`"
    if not second.writes:
        return f"may read {name}"
    return f"may write {name}" if first.writes else f"may overwrite {name}"


def _has(first: Event) -> str:
    return "has written it" if first.writes else "has read it"


def _why(execution: Execution, launch: Event, later: ir.Grid) -> str:
    """What is wrong with the events for which the stream of later work waits, or that there are none."""
    if staged_copy(later.name) is not None:
        return "it may read pageable memory at once, whatever its stream has to do before"
    calls = list(_events(execution))
    for event, waits in calls:
        if not isinstance(event, ir.EventWait) or event.stream != later.stream.name:
            continue
        records = [at for one, at in calls if isinstance(one, ir.EventRecord) and one.event == event.event]
        behind = f"line {waits.span.line}"
        if not records:
            return f"event {event.event}, for which stream {event.stream} waits at {behind}, is never recorded"
        for record in records:
            there = f"event {event.event} is recorded at line {record.span.line}"
            if _before(execution, waits, record):
                return f"{there}, behind the wait for it at {behind}, which waits for nothing"
            if _before(execution, record, launch):
                return f"{there}, before that work is given to its stream"
    return "no event, no synchronisation"


def _events(execution: Execution) -> Iterator[tuple[ir.EventRecord | ir.EventWait, Event]]:
    """The calls that record an event, or have a stream wait for one, each with what it is in the execution."""
    for thread in execution.graph.program.threads:
        for node in thread.body.nodes.values():
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.EventRecord | ir.EventWait):
                for event in execution.events:
                    if event.kind is Kind.CALL and event.span == node.span and event.thread == thread.name:
                        yield node.operation, event
