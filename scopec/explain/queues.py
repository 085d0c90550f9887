"""The work, records and waits that a host gives to streams in an execution or schedule, in the order of the streams.

The order is that of ``scopec.program.streams``: of one stream, of the legacy one with the others, of events.  Events
that no source has, between the nodes of a graph or behind a copy's staging, are order alone.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass
from scopec.explain.streams import is_internal
from scopec.memory.events.events import Kind
from scopec.memory.execution import Execution
from scopec.program import ir
from scopec.program.show import shown_call
from scopec.program.streams import acts, overlapping, queued, waits_for
from scopec.program.transfers import staged_copy
from scopec.progress.describe import describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scopec.base.source import Span
    from scopec.explain.verdict import Trace
    from scopec.program.program import Program

Given: TypeAlias = ir.LaunchGrid | ir.EventRecord | ir.EventWait
_Waiting: TypeAlias = (
    ir.DeviceSynchronize
    | ir.StreamSynchronize
    | ir.EventSynchronize
    | ir.WorkSynchronize
    | ir.StreamQuery
    | ir.EventQuery
    | ir.LaunchSynchronize
    | ir.LaunchQuery
)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a host thread: its place in the order of calls, and what it gives to streams, by numbers of items.

    ``graph`` is what it launches if that is a graph.  ``complete`` are the items that end what it waits for.
    """

    thread: str
    span: Span
    operation: ir.Call
    gives: tuple[int, ...] = ()
    complete: tuple[int, ...] = ()
    graph: ir.GraphNode | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """What a stream does: the work of a grid, the record of an event, or a wait for one."""

    stream: ir.Stream
    span: Span
    operation: Given
    grid: ir.Grid | None = None


@dataclass(frozen=True)
class Queues:
    """Calls, items, and pairs of items: those that are ordered with nothing between, and a record with a wait.

    ``lets`` are those of which the second, a kernel, waits for the event of the launch of the first.
    """

    calls: tuple[Call, ...]
    items: tuple[Item, ...]
    order: tuple[tuple[int, int], ...]
    events: tuple[tuple[int, int], ...]
    lets: tuple[tuple[int, int], ...] = ()


def queues_of(program: Program, trace: Trace) -> Queues | None:
    """What streams are given; None where nothing is, and where several threads give it: nobody knows their order."""
    made = _Made(program)
    for thread, span, operation in _calls(program, trace):
        made.add(thread, span, operation)
    if not made.items or len({made.thread_of[n] for n in range(len(made.items))}) > 1:
        return None
    return made.queues()


def _calls(program: Program, trace: Trace) -> Iterator[tuple[str, Span, ir.Call]]:
    """The calls of host threads that give something to a stream, or wait for it, as they are made."""
    host = {t.name: t for t in program.threads if t.grid is None and t.unit is None}
    found: dict[tuple[str, Span, str], ir.Call] = {}
    for thread in host.values():
        for node in thread.body.nodes.values():
            if isinstance(node, ir.Do) and isinstance(node.operation, Given | _Waiting):
                operation = node.operation
                said = shown_call(operation) if isinstance(trace, Execution) else describe(operation, program)
                found[thread.name, node.span, said] = operation
    if isinstance(trace, Execution):
        steps = [(e.thread, e.span, e.text) for e in trace.events if e.kind is Kind.CALL]
    else:
        steps = [(m.thread, m.span, m.action) for m in trace.moves]
    yield from ((step[0], step[1], found[step]) for step in steps if step in found)
    for behind in trace.behind if not isinstance(trace, Execution) else ():  # a call that has not returned
        for (name, at, _), call in found.items():
            same = (name, at) == (behind.thread, behind.span) and shown_call(call) in behind.where
            if same and isinstance(call, _Waiting):
                yield name, at, call


@dataclass
class _Made:
    """Queues that are being made, call by call."""

    program: Program
    calls: list[Call] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    thread_of: dict[int, str] = field(default_factory=dict)
    #: What comes before each item, all of it.
    before: list[set[int]] = field(default_factory=list)
    known: set[int] = field(default_factory=set)  # complete by an earlier call

    def __post_init__(self) -> None:
        self.streams = {s.name: s for s in (*self.program.streams, *(g.stream for g in self.program.grids.values()))}
        self.overlapping = overlapping(queued(self.program))
        self.graphs = {g.node.graph for g in self.program.grids.values() if g.node is not None}

    def add(self, thread: str, span: Span, operation: ir.Call) -> None:
        match operation:
            case ir.LaunchGrid(name):
                grid = self.program.grids[name]
                number = self._give(thread, Item(grid.stream, grid.span, operation, grid))
                last = self.calls[-1] if self.calls else None
                if last is not None and _is_same(last, thread, grid, self.items):
                    self.calls[-1] = Call(thread, span, operation, (*last.gives, number), graph=grid.node)
                else:
                    self.calls.append(Call(thread, span, operation, (number,), graph=grid.node))
            case ir.EventRecord(event, stream) | ir.EventWait(event, stream):
                number = self._give(thread, Item(self.streams[stream], span, operation))
                if not is_internal(event, self.graphs):
                    inside = self.calls and self.calls[-1].graph is not None and self.calls[-1].span == span
                    if inside:
                        last = self.calls[-1]
                        self.calls[-1] = Call(thread, span, last.operation, (*last.gives, number), graph=last.graph)
                    else:
                        self.calls.append(Call(thread, span, operation, (number,)))
            case _:
                self.calls.append(Call(thread, span, operation, complete=self._complete(operation)))

    def _give(self, thread: str, item: Item) -> int:
        number = len(self.items)
        direct = {n for n, other in enumerate(self.items) if self._after(item, n, other)}
        if isinstance(item.operation, ir.EventWait) and (record := self._recorded(item.operation.event)) is not None:
            direct.add(record)
        for one, fires in self._let(item):  # what a block begins after comes before what its begin comes before
            direct |= self.before[one] if fires is not ir.Fires.LAUNCHED else set()
        self.items.append(item)
        self.thread_of[number] = thread
        self.before.append(direct.union(*(self.before[n] for n in direct)))
        return number

    def _let(self, item: Item) -> Iterator[tuple[int, ir.Fires]]:
        """The kernels for whose launches' events an item waits, each with when such an event comes."""
        of = {one.grid.name: n for n, one in enumerate(self.items) if one.grid is not None}
        for awaited in item.grid.awaits if item.grid is not None else ():
            if awaited.grid in of:
                yield of[awaited.grid], awaited.fires

    def _after(self, item: Item, number: int, other: Item) -> bool:
        """Whether a stream begins an item after an earlier one, which a grid need not wait for that may start early."""
        if not waits_for(item.stream, other.stream):
            return False
        if item.stream.name != other.stream.name and isinstance(item.operation, ir.EventWait):
            record = self._recorded(item.operation.event)
            if record is None or not acts(item.stream, self.items[record].stream):
                return False
        if other.grid is None or not self.overlapping:
            return True
        if item.grid is not None:
            return (other.grid.name, item.grid.name) not in self.overlapping
        grids = [one.grid for one in self.items[number:] if waits_for(item.stream, one.stream)]
        return not any(one is not None and (other.grid.name, one.name) in self.overlapping for one in grids)

    def _recorded(self, event: str, before: int | None = None) -> int | None:
        """The last record of an event, before an item."""
        records = (ir.EventRecord(event, item.stream.name) == item.operation for item in self.items[:before])
        return max((n for n, is_one in enumerate(records) if is_one), default=None)

    def _complete(self, operation: ir.Call) -> tuple[int, ...]:
        """The last of what is complete when a call returns, and was not before."""
        match operation:
            case ir.DeviceSynchronize(device):
                ends = {n for n, item in enumerate(self.items) if item.stream.device == device}
            case ir.StreamSynchronize(name):
                ends = {n for n, item in enumerate(self.items) if item.stream.name == name}
            case ir.EventSynchronize(event):
                ends = {n for n in [self._recorded(event)] if n is not None}
            case ir.WorkSynchronize(grid):
                ends = {n for n, item in enumerate(self.items) if item.grid is not None and item.grid.name == grid}
            case _:
                return ()
        every = ends.union(*(self.before[n] for n in ends)) - self.known
        self.known |= every
        shown = {n for n in every if self._is_shown(n)}
        return tuple(sorted(n for n in shown if not any(n in self.before[m] for m in shown)))

    def _is_shown(self, number: int) -> bool:
        operation = self.items[number].operation
        return isinstance(operation, ir.LaunchGrid) or not is_internal(operation.event, self.graphs)

    def queues(self) -> Queues:
        """All that was given, numbered anew without what no source has."""
        shown = [n for n in range(len(self.items)) if self._is_shown(n)]
        place = {n: at for at, n in enumerate(shown)}
        order = [(a, b) for b in shown for a in _last(self.before[b] & place.keys(), self.before)]
        waits = [(n, item.operation) for n, item in enumerate(self.items) if isinstance(item.operation, ir.EventWait)]
        events = [
            (record, n)
            for n, operation in waits
            if n in place and (record := self._recorded(operation.event, n)) is not None
        ]

        def renamed(numbers: Iterable[int]) -> tuple[int, ...]:
            return tuple(place[n] for n in numbers)

        calls = tuple(
            Call(c.thread, c.span, c.operation, renamed(c.gives), renamed(c.complete), c.graph) for c in self.calls
        )
        pairs = [pair for pair in order if pair not in events]
        lets = [(a, b) for b in shown for a, _ in self._let(self.items[b]) if (a, b) not in order]

        def placed(found: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
            return tuple((place[a], place[b]) for a, b in found)

        return Queues(calls, tuple(self.items[n] for n in shown), placed(pairs), placed(events), placed(lets))


def _last(numbers: Iterable[int], before: Sequence[set[int]]) -> list[int]:
    """Those of some items that come before none of the others."""
    every = set(numbers)
    return sorted(n for n in every if not any(n in before[m] for m in every))


def _is_same(last: Call, thread: str, grid: ir.Grid, items: Sequence[Item]) -> bool:
    """Whether a grid is given by the call before: a node of the same launch, or a copy behind its staging."""
    if last.thread != thread or not last.gives:
        return False
    if grid.node is not None and last.graph is not None:
        return (last.graph.graph, last.graph.number) == (grid.node.graph, grid.node.number)
    before = items[last.gives[-1]].grid
    return before is not None and staged_copy(before.name) == grid.name
