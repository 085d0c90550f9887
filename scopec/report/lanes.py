"""Executions and schedules as lanes: one column a thread, time downwards."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from scopec.memory.events import Kind, shown_location
from scopec.program.show import show_mode
from scopec.progress.schedule import Ending

if TYPE_CHECKING:
    from scopec.memory.events import Event
    from scopec.memory.execution import Execution
    from scopec.progress.schedule import Schedule

_NARROWEST = 22
_GAP = 2


def lanes(threads: Sequence[str], rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    """Rows of (thread, text) in columns; with an empty thread, a line across.

    Where the columns would be narrower than 22 characters, each row names its thread instead.
    """
    if not threads:
        return
    column = (width - _GAP * (len(threads) - 1)) // len(threads)
    if column < _NARROWEST:
        longest = max(len(t) for t in threads)
        for thread, text in rows:
            lines = textwrap.wrap(text, max(20, width - longest - 2), break_on_hyphens=False) or [""]
            for number, line in enumerate(lines):
                lead = thread if number == 0 else ""
                yield f"{lead:<{longest}}  {line}" if thread else f"-- {line} --"
        return
    gap = " " * _GAP
    yield gap.join(f"{t[:column]:<{column}}" for t in threads).rstrip()
    yield gap.join(
        "-" * min(column, max(len(t), 12)) + " " * (column - min(column, max(len(t), 12))) for t in threads
    ).rstrip()
    for thread, text in rows:
        if not thread:
            yield f"-- {text} --"
            continue
        index = threads.index(thread)
        for line in textwrap.wrap(text, column, subsequent_indent="  ", break_on_hyphens=False) or [""]:
            yield " " * (index * (column + _GAP)) + line


def execution_rows(execution: Execution) -> tuple[list[str], list[tuple[str, str]]]:
    """The threads that access memory, and their events in an order that follows program order and reads-from."""
    shown = [e for e in execution.events if e.kind not in (Kind.INIT, Kind.CALL)]
    order = _ordered(execution, shown)
    sources = {read: write for write, read in execution.choice.rf}
    threads = list(dict.fromkeys(e.thread for e in execution.events if e in set(shown)))
    return threads, [(e.thread, f"{e.span.line}: {_event_text(execution, e, sources)}") for e in order]


def _event_text(execution: Execution, event: Event, sources: dict[str, str]) -> str:
    if event.location is None:
        return event.text
    name = shown_location(event.location, execution.graph.program)
    how = event.text.split(" ")[0].partition(".")[2]
    detail = f" ({how})" if how else ""
    if event.kind is Kind.WRITE:
        value = None if event.value is None else execution.value(event.value)
        return f"write {name} = {value}{detail}"
    source = execution.graph.by_id[sources[event.id]]
    origin = "initial" if source.kind is Kind.INIT else f"from line {source.span.line}"
    return f"read {name} = {execution.values[event.id]}{detail}, {origin}"


def _ordered(execution: Execution, events: Sequence[Event]) -> list[Event]:
    """Topologically by program order and reads-from where that is possible, else thread by thread."""
    position = {e.id: i for i, e in enumerate(events)}
    before: dict[int, set[int]] = {i: set() for i in range(len(events))}
    for name in ("po", "rf"):
        for a, b in execution.relation(name):
            if a.id in position and b.id in position:
                before[position[b.id]].add(position[a.id])
    try:
        sorter = TopologicalSorter(before)
        sorter.prepare()
        order: list[int] = []
        while sorter.is_active():
            ready = sorted(sorter.get_ready())
            order += ready
            sorter.done(*ready)
        return [events[i] for i in order]
    except CycleError:
        return list(events)


def schedule_rows(schedule: Schedule) -> tuple[list[str], list[tuple[str, str]]]:
    """The threads that move or stay behind, and the moves, with a line where they begin to repeat."""
    rows: list[tuple[str, str]] = []
    for number, move in enumerate(schedule.moves):
        if schedule.ending is Ending.LASSO and number == schedule.loop_to:
            rows.append(("", "from here on, again and again"))
        changes = ", ".join(f"{name} = {value}" for name, value in move.changes.items())
        text = f"{move.span.line}: {move.action}" + (f" [{changes}]" if changes and "=" not in move.action else "")
        rows.append((move.thread, text))
    if schedule.ending is Ending.DEADLOCK:
        rows.append(("", "no thread can take a step"))
    elif schedule.ending is Ending.STOP:
        rows.append(("", "from here on nothing changes"))
    present = {m.thread for m in schedule.moves} | {b.thread for b in schedule.behind}
    return [t for t in schedule.start.labels if t in present], rows


__all__ = ["execution_rows", "lanes", "schedule_rows", "show_mode"]
