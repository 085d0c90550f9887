"""Executions and schedules as lanes: one column a thread, time downwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from scopec.base.excerpt import clean
from scopec.base.lazy_import import later
from scopec.base.records import dataclass
from scopec.explain.agents import EDGES
from scopec.hangs.execution import StuckExecution
from scopec.memory.events.events import Kind, shown_location
from scopec.memory.execution import Execution
from scopec.memory.unfold.barriers import parts
from scopec.memory.unfold.existence import IN_WORDS
from scopec.program.ir import Use
from scopec.program.observe import lifetime_of
from scopec.progress.describe import state_in_words
from scopec.progress.schedule import Ending

if TYPE_CHECKING:
    import textwrap

    from scopec.base.source import Span
    from scopec.explain.verdict import Trace
    from scopec.memory.events.events import Event
    from scopec.progress.schedule import Schedule
else:
    textwrap = later("textwrap")

#: The line after the last step of a schedule.
CLOSING = {
    Ending.DEADLOCK: "no thread can take a step",
    Ending.STOP: "from here on nothing changes",
    Ending.LASSO: "and so on, again and again",
    Ending.UNDEFINED: "what comes next is undefined",
    Ending.FOUND: "this is what was looked for",
}
_NARROWEST = 22
_GAP = 2
#: Rows of a trace that are shown unless one asks for all.
_MOST = 60


@dataclass(frozen=True, slots=True)
class Row:
    """One event or step: what its thread does, where, and what that changes; without a thread, a line across.

    ``marked`` are those that a verdict is about: the racing accesses.  ``main`` is the file of which lines stand alone;
    those of others have the name of theirs.
    """

    thread: str
    text: str
    span: Span | None = None
    changes: Mapping[str, str] = field(default_factory=dict)
    marked: bool = False
    main: str = ""

    def __str__(self) -> str:
        text = f"[race] {self.text}" if self.marked else self.text
        return f"{line(self.span, self.main)}: {text}" if self.span is not None else text


def line(span: Span, main: str) -> str:
    """The number of a line, behind the name of its file unless that is ``main``, or nobody says which is."""
    named = main and span.file != main
    return f"{clean(span.file.replace(chr(92), '/').rpartition('/')[2])}:{span.line}" if named else str(span.line)


def in_file(span: Span, main: str) -> str:
    """The same in a sentence: `line 3`, `lock.h:3`."""
    shown = line(span, main)
    return shown if ":" in shown else f"line {shown}"


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


def rows(trace: Trace, marked: Sequence[Event] = (), main: str = "") -> tuple[list[str], list[Row]]:
    """The threads of a trace and what they do, in order; ``marked`` are the events that a verdict is about, ``main`` is
    the program's file."""
    if isinstance(trace, Execution):
        return _execution(trace, in_order(trace), marked)
    return _threads(trace), _schedule(trace, main)


def what_matters(trace: Trace, marked: Sequence[Event] = (), main: str = "") -> tuple[list[str], list[Row]]:
    """The rows that a reader needs first: of a race what leads to it, of a long trace its beginning and its end.

    A row without a thread says how many are left out.
    """
    if not isinstance(trace, Execution):
        return _threads(trace), _middle_cut(_schedule(trace, main), "step")
    events = in_order(trace)
    past = _past(trace, marked) if marked else {e.id for e in events}
    threads, found = _execution(trace, [e for e in events if e.id in past], marked)
    if marked and len(found) < len(events):
        found.append(Row("", f"{_counted(len(events) - len(found), 'event')} not shown that the race does not need"))
    return threads, _middle_cut(found, "event")


def _past(execution: Execution, events: Sequence[Event]) -> set[str]:
    """The events that lead to some: what is before them in program order, and what that reads from."""
    above: dict[str, set[str]] = {}
    for name in ("po", "rf", *EDGES):
        for a, b in execution.relation(name):
            above.setdefault(b.id, set()).add(a.id)
    found: set[str] = set()
    open_ = [e.id for e in events]
    while open_:
        event = open_.pop()
        if event not in found:
            found.add(event)
            open_ += above.get(event, ())
    return found


def _middle_cut(found: list[Row], what: str) -> list[Row]:
    if len(found) <= _MOST:
        return found
    head, tail = _MOST // 3, len(found) - _MOST + _MOST // 3
    said = f"{_counted(tail - head, what)} not shown: -v shows all, and so does scopec trace"
    across = [Row("", row.text) for row in found[head:tail] if not row.thread]
    return [*found[:head], Row("", said), *across, *found[tail:]]


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _execution(execution: Execution, shown: Sequence[Event], marked: Sequence[Event]) -> tuple[list[str], list[Row]]:
    """The threads of events, and a row an event."""
    sources = {read: write for write, read in execution.choice.rf}
    owners = {lane_of(execution, e): e.thread for e in shown}
    main = execution.graph.program.source.name
    found = [
        Row(lane_of(execution, e), event_text(execution, e, sources), e.span, {}, e in marked, main) for e in shown
    ]
    if isinstance(execution, StuckExecution):
        owners |= {b.thread: b.thread for b in execution.behind}
        found += [Row(b.thread, b.where, b.span, main=main) for b in execution.behind if not execution.period(b.thread)]
        found.append(Row("", CLOSING[Ending.STOP]))
    position = {t.name: n for n, t in enumerate(execution.graph.program.threads)}
    return sorted(owners, key=lambda lane: (position.get(owners[lane], len(position)), lane)), found


def lane_of(execution: Execution, event: Event) -> str:
    """The column of an event: its thread's, or that of the copy of which it is an access."""
    if not event.agent:
        return event.thread
    issue = execution.graph.by_id[event.agent]
    same = [e.id for e in execution.events if e.kind is Kind.ISSUE and (e.thread, e.span) == (issue.thread, issue.span)]
    number = f" ({same.index(issue.id) + 1})" if len(same) > 1 else ""
    return f"{event.thread}, copy of line {issue.span.line}{number}"


def event_text(execution: Execution, event: Event, sources: Mapping[str, str]) -> str:
    """The words for an event: its effect, its mode, and the source of a value that it reads; ``sources`` is reads-from
    by the read.
    """
    what, how = event_parts(execution, event)
    text = f"{what} ({how})" if how else what
    if event.kind is not Kind.READ:
        return text
    again = ", again and again" if event.last else ""
    source = execution.graph.by_id[sources[event.id]]
    if source.kind is Kind.INIT:
        return f"{text}, initial{again}"
    synchronises = ", synchronises" if (source, event) in execution.synchronisation else ""
    where = in_file(source.span, execution.graph.program.source.name)
    return f"{text}, from {where}{synchronises}{again}"


def event_parts(execution: Execution, event: Event) -> tuple[str, str]:
    """The words for an event: its effect, with the value that it reads or writes, and its mode: order and scope."""
    what, _, how = event.text.partition(" ")[0].partition(".")
    how = how.replace(".", ", ")
    if event.location is None:
        return (what, how) if event.kind is Kind.FENCE else (event.text, "")
    if (of := lifetime_of(event.location)) is not None:
        value = execution.values[event.id] if event.kind is Kind.READ else None
        return (event.text if value is None else f"{of} {IN_WORDS[value]}"), ""
    name = shown_location(event.location, execution.graph.program)
    if execution.graph.program.objects[event.location.object].type.is_float:  # its values are not modelled
        return (f"{name}, initially" if event.kind is Kind.INIT else f"{what} {name}"), how
    if event.kind is Kind.READ:
        return f"read {name} = {_shown(execution, event, execution.values[event.id])}", how
    written = _shown(execution, event, None if event.value is None else execution.value(event.value))
    return (f"{name} = {written}, initially" if event.kind is Kind.INIT else f"write {name} = {written}"), how


def _shown(execution: Execution, event: Event, value: int | None) -> str:
    """A value at an event's location: of an mbarrier, its state."""
    if value is None or event.location is None:
        return str(value)
    of_mbarrier = execution.graph.program.objects[event.location.object].use is Use.MBARRIER
    return state_in_words(parts(value)) if of_mbarrier else str(value)


def in_order(execution: Execution) -> list[Event]:
    """The events of threads, sorted by program order and reads-from if these have no cycle."""
    events = [e for e in execution.events if e.kind not in (Kind.INIT, Kind.CALL)]
    position = {e.id: i for i, e in enumerate(events)}
    before: dict[int, set[int]] = {i: set() for i in range(len(events))}
    for name in ("po", "rf", *EDGES):
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
        return events


def _threads(schedule: Schedule) -> list[str]:
    """The threads that move or stay behind."""
    present = {m.thread for m in schedule.moves} | {b.thread for b in schedule.behind}
    return [t for t in schedule.start.labels if t in present]


def _schedule(schedule: Schedule, main: str) -> list[Row]:
    """The moves, with a line where they begin to repeat."""
    found: list[Row] = []
    for number, move in enumerate(schedule.moves):
        if schedule.ending is Ending.LASSO and number == schedule.loop_to:
            found.append(Row("", "from here on, again and again"))
        changes = ", ".join(f"{name} = {value}" for name, value in move.changes.items())
        text = move.action + (f" [{changes}]" if changes and "=" not in move.action else "")
        found.append(Row(move.thread, text, move.span, move.changes, main=main))
    if schedule.ending is not Ending.LASSO:
        found.append(Row("", CLOSING[schedule.ending]))
    return found
