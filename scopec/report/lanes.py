"""Executions and schedules as lanes: one column a thread, time downwards."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from scopec.memory.events import Kind, shown_location
from scopec.memory.execution import Execution
from scopec.progress.schedule import Ending

if TYPE_CHECKING:
    from scopec.memory.events import Event
    from scopec.progress.schedule import Schedule
    from scopec.source import Span
    from scopec.verdicts import Trace

_NARROWEST = 22
_GAP = 2


@dataclass(frozen=True, slots=True)
class Row:
    """One event or step: what its thread does, where, and what that changes; without a thread, a line across.

    ``marked`` are those that a verdict is about: the racing accesses.
    """

    thread: str
    text: str
    span: Span | None = None
    changes: Mapping[str, str] = field(default_factory=dict)
    marked: bool = False

    def __str__(self) -> str:
        return f"{self.span.line}: {self.text}" if self.span is not None else self.text


def lanes(threads: Sequence[str], rows: Sequence[Row], width: int) -> Iterator[str]:
    """Rows in columns; one without a thread is a line across.

    Where the columns would be narrower than 22 characters, each row names its thread instead.
    """
    if not threads:
        return
    column = (width - _GAP * (len(threads) - 1)) // len(threads)
    if column < _NARROWEST:
        longest = max(len(t) for t in threads)
        for row in rows:
            lines = textwrap.wrap(str(row), max(20, width - longest - 2), break_on_hyphens=False) or [""]
            for number, line in enumerate(lines):
                lead = row.thread if number == 0 else ""
                yield f"{lead:<{longest}}  {line}" if row.thread else f"-- {line} --"
        return
    gap = " " * _GAP
    yield gap.join(f"{t[:column]:<{column}}" for t in threads).rstrip()
    yield gap.join(
        "-" * min(column, max(len(t), 12)) + " " * (column - min(column, max(len(t), 12))) for t in threads
    ).rstrip()
    for row in rows:
        if not row.thread:
            yield f"-- {row} --"
            continue
        index = threads.index(row.thread)
        for line in textwrap.wrap(str(row), column, subsequent_indent="  ", break_on_hyphens=False) or [""]:
            yield " " * (index * (column + _GAP)) + line


def rows(trace: Trace, marked: Sequence[Event] = ()) -> tuple[list[str], list[Row]]:
    """The threads of a trace and what they do, in order; ``marked`` are the events that a verdict is about."""
    return _execution(trace, marked) if isinstance(trace, Execution) else _schedule(trace)


def _execution(execution: Execution, marked: Sequence[Event]) -> tuple[list[str], list[Row]]:
    """The threads that access memory, and their events in an order that follows program order and reads-from."""
    shown = [e for e in execution.events if e.kind not in (Kind.INIT, Kind.CALL)]
    sources = {read: write for write, read in execution.choice.rf}
    threads = list(dict.fromkeys(e.thread for e in shown))
    ordered = _ordered(execution, shown)
    return threads, [Row(e.thread, event_text(execution, e, sources), e.span, {}, e in marked) for e in ordered]


def event_text(execution: Execution, event: Event, sources: Mapping[str, str]) -> str:
    """What an event does: the value that it reads or writes, and from where; ``sources`` is reads-from by the read."""
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


def _schedule(schedule: Schedule) -> tuple[list[str], list[Row]]:
    """The threads that move or stay behind, and the moves, with a line where they begin to repeat."""
    found: list[Row] = []
    for number, move in enumerate(schedule.moves):
        if schedule.ending is Ending.LASSO and number == schedule.loop_to:
            found.append(Row("", "from here on, again and again"))
        changes = ", ".join(f"{name} = {value}" for name, value in move.changes.items())
        text = move.action + (f" [{changes}]" if changes and "=" not in move.action else "")
        found.append(Row(move.thread, text, move.span, move.changes))
    if schedule.ending is Ending.DEADLOCK:
        found.append(Row("", "no thread can take a step"))
    elif schedule.ending is Ending.STOP:
        found.append(Row("", "from here on nothing changes"))
    present = {m.thread for m in schedule.moves} | {b.thread for b in schedule.behind}
    return [t for t in schedule.start.labels if t in present], found
