"""Additional synchronises-with: what thread creation, launches, completion, stream order and barriers order."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scopec.memory.events.events import Event, Kind, Synchronises
from scopec.memory.unfold import dependents
from scopec.memory.unfold.call_order import CallOrder
from scopec.memory.unfold.lifetimes import kept
from scopec.program import ir, types, values
from scopec.program.specialise import cluster_barrier
from scopec.program.streams import acts, overlapping, queued, waits_for
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.unfolding import Unfolding
    from scopec.program.collective import Barrier, Passage


class Ordering:
    """The order between the threads whose events were collected."""

    def __init__(self, out: Unfolding) -> None:
        self.out = out
        self.program = out.program
        self.order = CallOrder(out)
        self.position, self.event = self.order.position, self.order.event
        grid_of = {thread.name: thread.grid for thread in out.program.threads}
        self.inside: dict[str, tuple[str, ...]] = {
            grid: tuple(e.id for e in out.events if grid_of.get(e.thread) == grid) for grid in out.launches
        }
        self.streams = {s.name: s for s in (*out.program.streams, *(g.stream for g in out.program.grids.values()))}
        self.overlapping = overlapping(queued(out.program))

    def synchronises(self) -> Iterator[Synchronises]:
        """The pairs that are ordered beyond what atomics and fences order."""
        initial = tuple(e.id for e in self.out.events if e.kind is Kind.INIT)
        rest = tuple(e.id for e in self.out.events if e.kind is not Kind.INIT)
        if initial and rest:
            yield Synchronises(initial, rest, "initial values")
        for grid, launch in self.out.launches.items():
            if self.inside[grid]:
                yield Synchronises((launch,), self.inside[grid], f"launch of {grid}")
        for second, launch in self.out.launches.items():
            for first, path in self._in_order(self._behind[launch]):
                ends = self._ends(first, launch)
                if ends and self.inside[second]:
                    why = f"{second} after {self._name(first)} in stream order"
                    yield Synchronises(ends, self.inside[second], why, self._when(path))
        yield from dependents.released(self.out, self._reported)
        for call in self.out.calls:
            when = self._reported(call)
            for item, path in self._in_order(self._complete(call)):
                if ends := self._ends(item, call):
                    known = self._when(path)
                    both = when if known is None else known if when is None else values.binary("&&", known, when)
                    yield Synchronises(ends, (call,), f"completion of {self._name(item)}", both)
        for keeper in self.program.others:
            if (block := kept(keeper)) is not None:
                begins, *_ = self.of_thread(keeper.name)
                inside = {thread.name for thread in self.program.threads if thread.block_name == block}
                events = tuple(e.id for e in self.out.events if e.thread in inside)
                yield Synchronises((begins,), events, f"begin of {block}")
                if behind := self._cluster_waits(block):
                    yield Synchronises((begins,), behind, f"begin of {block}, before its cluster's barrier")
        for thread, creation in self.out.creations.items():
            if events := self.of_thread(thread):
                yield Synchronises((creation,), events, f"creation of {thread}")
        for call_id, operation in self.out.calls.items():
            if isinstance(operation, ir.JoinThread) and (events := self._own(operation.thread)):
                yield Synchronises(events, (call_id,), f"end of {operation.thread}")
        for barrier, arrivals, waits in self._meetings():
            if barrier.exchange:
                continue  # it orders no memory
            if self._at_once(arrivals, waits):
                why = f"{waits[0].text.removeprefix('leave ')} of {barrier.name}"
                yield Synchronises(
                    tuple(e.id for e in arrivals),
                    tuple(e.id for e in waits),
                    why,
                    barrier=True,
                    of_all=not barrier.named,
                )
                continue
            for arrival, wait, when in self._pairs(arrivals, waits):
                why = f"{wait.text.removeprefix('leave ')} of {barrier.name}"
                yield Synchronises((arrival.id,), (wait.id,), why, when, barrier=True, of_all=not barrier.named)

    def _when(self, path: Guard) -> Value | None:
        return None if path.always else path.value(self.out.conditions)

    def _cluster_waits(self, block: str) -> tuple[str, ...]:
        """The waits at a barrier of a block's cluster that is in memory: all blocks have begun, whatever its orders."""
        name, _, index = block.removesuffix("]").rpartition("[")
        grid = self.program.grids[name]
        barrier = cluster_barrier(name, grid.blocks, grid.cluster, int(index))
        reads = (e for e in self.out.events if e.kind is Kind.READ and e.rmw is None)
        return tuple(e.id for e in reads if e.location is not None and e.location.object == barrier)

    def _own(self, thread: str) -> tuple[str, ...]:
        """The events of a thread without its copies', which may come after its end."""
        return tuple(e.id for e in self.out.events if e.thread == thread and not e.agent)

    def of_thread(self, thread: str) -> tuple[str, ...]:
        """The events of a thread, in program order."""
        return tuple(e.id for e in self.out.events if e.thread == thread)

    # ---- streams

    def _stream(self, call: str) -> ir.Stream | None:
        """The stream that a call issues something to: a grid, the record of an event, a wait for one."""
        match self.out.calls[call]:
            case ir.LaunchGrid(grid):
                return self.program.grids[grid].stream
            case ir.EventRecord(_, stream) | ir.EventWait(_, stream):
                return self.streams[stream]
            case (
                ir.EndProcess()
                | ir.Trap()
                | ir.CreateThread()
                | ir.JoinThread()
                | ir.ApiCall()
                | ir.TriggerDependents()
                | ir.DeviceSynchronize()
            ):
                return None
            case (
                ir.StreamQuery()
                | ir.StreamSynchronize()
                | ir.EventSynchronize()
                | ir.WorkSynchronize()
                | ir.AwaitGrid()
                | ir.EventQuery()
                | ir.LaunchSynchronize()
                | ir.LaunchQuery()
            ):
                return None

    def recorded(self, event: str, call: str) -> Iterator[tuple[str, Guard]]:
        """The records of an event that a call may refer to, each with where it is the latest one before the call."""
        records = [c for c, op in self.out.calls.items() if isinstance(op, ir.EventRecord) and op.event == event]
        for record in records:
            latest = self.event[record].guard & self.order.before(record, call)
            for other in records:
                if other != record and not latest.never:
                    between = self.order.before(record, other) & self.order.before(other, call)
                    latest &= ~(between & self.event[other].guard)
            yield record, latest

    @cached_property
    def _issued(self) -> dict[str, ir.Stream]:
        """The items that calls issue to streams, those that no other precedes first, each with its stream."""
        found = {call: stream for call in self.out.calls if (stream := self._stream(call)) is not None}
        preceding = {item: sum(self.order.precedes(other, item) for other in found) for item in found}
        return {item: found[item] for item in sorted(found, key=lambda item: (preceding[item], self.position[item]))}

    @cached_property
    def _behind(self) -> dict[str, dict[str, Guard]]:
        """For each item that a call issues to a stream, the items that complete before it starts, and on which paths.

        Streams keep the order in which work is issued to them, whichever threads issue it.  What another item comes
        after, an item that comes after that one does too, on the paths on which the one between is executed.
        """
        direct: dict[str, dict[str, Guard]] = {}
        for item, stream in self._issued.items():
            operation, others = self.out.calls[item], self.out.guards.always
            records = list(self.recorded(operation.event, item)) if isinstance(operation, ir.EventWait) else []
            if isinstance(operation, ir.EventWait):
                others = self.out.guards.never
                for record, latest in records:
                    if acts(stream, self._issued[record]):
                        others |= latest
            direct[item] = {
                earlier: path
                for earlier, other in self._issued.items()
                if waits_for(stream, other)
                if not (path := self._before(earlier, item, others, same=other.name == stream.name)).never
                if not self._overlaps(earlier, item)
            }
            for record, latest in records:
                direct[item][record] = direct[item].get(record, self.out.guards.never) | latest
        whole = {item: dict(earlier) for item, earlier in direct.items()}
        changed = True
        while changed:
            changed = False
            for item, launched in self._let(direct):
                for first, before in whole[launched].items():
                    known = whole[item].get(first, self.out.guards.never)
                    if (found := known | before) != known:
                        whole[item][first] = found
                        changed = True
            for item, earlier in direct.items():
                for middle, path in earlier.items():
                    if not self._passes(middle):
                        continue
                    through = path & self.event[middle].guard
                    for first, before in whole[middle].items():
                        known = whole[item].get(first, self.out.guards.never)
                        if (found := known | (through & before)) != known and first != item:
                            whole[item][first] = found
                            changed = True
        return whole

    def _let(self, items: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Launches of grids that wait for an event of another launch, each with that one's.

        What is complete when a block of the other grid begins comes before them: that is a reading.
        """
        for item in items:
            operation = self.out.calls[item]
            if isinstance(operation, ir.LaunchGrid):
                for awaited in self.program.grids[operation.grid].awaits:
                    if awaited.fires is not ir.Fires.LAUNCHED:
                        yield item, self.out.launches[awaited.grid]

    def _before(self, earlier: str, item: str, others: Guard, *, same: bool) -> Guard:
        """Where an item is issued before another; of another stream, where that waits for other streams."""
        before = self.order.before(earlier, item)
        return before if same else before & others

    def _overlaps(self, earlier: str, item: str) -> bool:
        """Whether an item may start before an earlier grid is complete: a grid, or what is issued behind such a one."""
        first, second = (self.out.calls[call] for call in (earlier, item))
        if not self.overlapping or not isinstance(first, ir.LaunchGrid):
            return False
        if isinstance(second, ir.LaunchGrid):
            return (first.grid, second.grid) in self.overlapping
        return any(
            (first.grid, grid) in self.overlapping
            and waits_for(self._issued[item], self._issued[launch])
            and not self.order.before(launch, item).never
            for grid, launch in self.out.launches.items()
        )

    def _passes(self, item: str) -> bool:
        """Whether some path has no event of an item that what comes after it could be ordered after.

        Records and waits take no time, and have none.
        """
        operation = self.out.calls[item]
        if not isinstance(operation, ir.LaunchGrid):
            return True
        inside = (self.event[e].guard for e in self.inside[operation.grid])
        return not any((self.event[item].guard & ~guard).never for guard in inside)

    def _ends(self, item: str, call: str) -> tuple[str, ...]:
        """The events before all that an item comes before, seen from a call: those of its grid.

        Where there may be none it is the call that issued the item, unless that comes before the other call anyway:
        "Start of a CUDA API call to enqueue a task synchronizes with start of the task", also of records and waits (PTX
        ISA, 8.9.4).
        """
        operation = self.out.calls[item]
        inside = self.inside[operation.grid] if isinstance(operation, ir.LaunchGrid) else ()
        return (*inside, item) if self._passes(item) and not self.order.precedes(item, call) else inside

    def _name(self, item: str) -> str:
        operation = self.out.calls[item]
        return operation.grid if isinstance(operation, ir.LaunchGrid) else self.event[item].text

    def _in_order(self, paths: Mapping[str, Guard]) -> list[tuple[str, Guard]]:
        """The items that are there on some path, as their calls stand in the program."""
        return [(i, paths[i]) for i in sorted(paths, key=self.position.__getitem__) if not paths[i].never]

    def stream_order(self) -> Iterator[tuple[str, str, Guard]]:
        """Pairs of grids of which the first completes before the second starts, and on which paths."""
        for second, launch in self.out.launches.items():
            for item, path in self._in_order(self._behind[launch]):
                operation = self.out.calls[item]
                if isinstance(operation, ir.LaunchGrid):
                    yield operation.grid, second, path

    def completions(self) -> Iterator[tuple[Event, str, Guard, Value | None]]:
        """Calls that return after the completion of a grid: the call, the grid, on which paths, with which result."""
        for call in self.out.calls:
            for item, path in self._in_order(self._complete(call)):
                operation = self.out.calls[item]
                if isinstance(operation, ir.LaunchGrid):
                    yield self.event[call], operation.grid, path, self._reported(call)

    def _reported(self, call: str) -> Value | None:
        """With which result a call says that something is complete; None where it always does.

        "Returning cudaSuccess from an API to query a CUDA handle, such as a stream or event, behaves the same as return
        from the matching synchronization API" (PTX ISA, 8.9.4).
        """
        if not isinstance(self.out.calls[call], (ir.StreamQuery, ir.EventQuery, ir.LaunchQuery)):
            return None
        return values.binary("==", self.out.chosen(call, "result", types.INT), Const(0, types.INT))

    def _complete(self, call: str) -> dict[str, Guard]:
        """The items that are complete when a call returns, and on which paths."""
        found: dict[str, Guard] = {}

        def add(item: str, path: Guard, *, through: bool) -> None:
            found[item] = found.get(item, self.out.guards.never) | path
            if through:
                for first, before in self._behind[item].items():
                    found[first] = found.get(first, self.out.guards.never) | (path & before & self.event[item].guard)

        match self.out.calls[call]:
            case ir.DeviceSynchronize(device):
                for item, stream in self._issued.items():
                    if stream.device == device:
                        add(item, self.order.before(item, call), through=self._passes(item))
            case ir.StreamSynchronize(name) | ir.StreamQuery(_, name):
                for item, stream in self._issued.items():
                    if stream.name == name:
                        add(item, self.order.before(item, call), through=self._passes(item))
            case ir.WorkSynchronize(grid) | ir.AwaitGrid(grid):
                add(self.out.launches[grid], self.out.guards.always, through=False)
            case ir.EventSynchronize(event) | ir.EventQuery(_, event):
                for record, latest in self.recorded(event, call):
                    add(record, latest, through=True)
            case ir.LaunchSynchronize(_, grid, fires) | ir.LaunchQuery(_, _, grid, fires):
                if fires is not ir.Fires.LAUNCHED:
                    found.update(self._behind[self.out.launches[grid]])
            case ir.EndProcess() | ir.Trap() | ir.CreateThread() | ir.JoinThread() | ir.ApiCall():
                pass
            case ir.LaunchGrid() | ir.EventRecord() | ir.EventWait() | ir.TriggerDependents():
                pass
        return found

    # ---- barriers

    def phases(self) -> Iterator[tuple[Event, Event, Value | None]]:
        """Arrivals and waits of different threads at a barrier, with the condition that they are in one phase."""
        for _, arrivals, waits in self._meetings():
            yield from self._pairs(arrivals, waits)

    def _pairs(self, arrivals: Sequence[Event], waits: Sequence[Event]) -> Iterator[tuple[Event, Event, Value | None]]:
        partners: dict[Passage, list[tuple[Event, Value | None]]] = {}  # in many threads there are few phases
        for arrival in arrivals:
            here = self.out.barriers[arrival.id]
            if here not in partners:
                partners[here] = list(self._of_its_phase(here, waits))
            yield from ((arrival, wait, same) for wait, same in partners[here] if arrival.thread != wait.thread)

    def _of_its_phase(self, here: Passage, waits: Sequence[Event]) -> Iterator[tuple[Event, Value | None]]:
        known: dict[Passage, Value] = {}
        for wait in waits:
            there = self.out.barriers[wait.id]
            if there not in known:
                known[there] = here.meets(there)
            if (same := known[there]) != values.FALSE:
                yield wait, None if isinstance(same, Const) else same

    def _meetings(self) -> Iterator[tuple[Barrier, list[Event], list[Event]]]:
        """Arrivals and waits that may be of one phase of a barrier: phase by phase where many threads meet."""
        found: dict[Barrier, tuple[list[Event], list[Event]]] = {}
        for event in self.out.events:
            if event.kind in (Kind.ARRIVE, Kind.WAIT):
                sides = found.setdefault(self.out.barriers[event.id].barrier, ([], []))
                sides[event.kind is Kind.WAIT].append(event)
        for barrier, (arrivals, waits) in found.items():
            phases: dict[Value, tuple[list[Event], list[Event]]] = {}
            for side, events in enumerate((arrivals, waits)):
                for event in events:
                    phases.setdefault(self.out.barriers[event.id].phase, ([], []))[side].append(event)
            if all(self._at_once(*sides) for sides in phases.values()):
                yield from ((barrier, *sides) for sides in phases.values())
            else:
                yield barrier, arrivals, waits

    def _at_once(self, arrivals: Sequence[Event], waits: Sequence[Event]) -> bool:
        """Whether these are many, and of one phase for sure; then they are told as groups, each thread's own included:

        program order has those.
        """
        passages = [self.out.barriers[event.id] for event in (*arrivals, *waits)]
        reductions = self.out.reductions
        return (reductions.pairs and len(arrivals) > reductions.meeting) and all(
            isinstance(p.phase, Const) and not p.name and not p.phases and p.phase == passages[0].phase
            for p in passages
        )
