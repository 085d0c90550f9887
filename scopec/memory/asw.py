"""Additional synchronises-with: what thread creation, launches, completion, stream order and barriers order."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scopec.memory.events import Event, Kind, Synchronises
from scopec.program import ir, types, values
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.memory.collected import Collected
    from scopec.memory.guards import Guard


def waits_for(later: ir.Stream, earlier: ir.Stream) -> bool:
    """Whether work issued to ``later`` starts only after work issued before to ``earlier``.

    Within a stream always; the legacy default stream and blocking streams of a device wait for each other (reading 8 of
    the progress note, from CUDA's programming guide); non-blocking streams wait for no other.
    """
    if later.name == earlier.name:
        return True
    if later.device != earlier.device:
        return False
    return "legacy" in (later.kind, earlier.kind) and "non-blocking" not in (later.kind, earlier.kind)


class Ordering:
    """What orders the threads whose events were collected."""

    def __init__(self, out: Collected) -> None:
        self.out = out
        self.program = out.program
        self.position = {event.id: i for i, event in enumerate(out.events)}
        self.event = {event.id: event for event in out.events}
        grid_of = {thread.name: thread.grid for thread in out.program.threads}
        self.inside: dict[str, tuple[str, ...]] = {
            grid: tuple(e.id for e in out.events if grid_of.get(e.thread) == grid) for grid in out.launches
        }
        self.streams = {s.name: s for s in (*out.program.streams, *(g.stream for g in out.program.grids.values()))}

    def synchronises(self) -> Iterator[Synchronises]:
        """The pairs that are ordered beyond what atomics and fences order."""
        initial = tuple(e.id for e in self.out.events if e.kind is Kind.INIT)
        rest = tuple(e.id for e in self.out.events if e.kind is not Kind.INIT)
        if initial and rest:
            yield Synchronises(initial, rest, "initial values")
        for grid, launch in self.out.launches.items():
            if self.inside[grid]:
                yield Synchronises((launch,), self.inside[grid], f"launch of {grid}")
        for first, second, path in self.stream_order():
            if self.inside[first] and self.inside[second]:
                why = f"{second} after {first} in stream order"
                yield Synchronises(self.inside[first], self.inside[second], why, self._when(path))
        for call, grid, path, when in self.completions():
            if self.inside[grid]:
                known = self._when(path)
                both = when if known is None else known if when is None else values.binary("&&", known, when)
                yield Synchronises(self.inside[grid], (call.id,), f"completion of {grid}", both)
        for thread, creation in self.out.creations.items():
            if events := self.of_thread(thread):
                yield Synchronises((creation,), events, f"creation of {thread}")
        for call_id, operation in self.out.calls.items():
            if isinstance(operation, ir.JoinThread) and (events := self.of_thread(operation.thread)):
                yield Synchronises(events, (call_id,), f"end of {operation.thread}")
        for arrival, wait, when in self.phases():
            why = f"{wait.text.removeprefix('leave ')} of {self.out.barriers[wait.id].barrier.name}"
            yield Synchronises((arrival.id,), (wait.id,), why, when, barrier=True)

    def _when(self, path: Guard) -> Value | None:
        return None if path.always else path.value(self.out.conditions)

    def of_thread(self, thread: str) -> tuple[str, ...]:
        """The events of a thread, in program order."""
        return tuple(e.id for e in self.out.events if e.thread == thread)

    # ---- the order of host calls

    @cached_property
    def _after(self) -> dict[str, set[str]]:
        """For each call the calls that come after it: later in its thread, or in threads created or joined between."""
        calls = sorted(self.out.calls, key=self.position.__getitem__)
        direct: dict[str, set[str]] = {
            a: {
                b for b in calls if self.event[a].thread == self.event[b].thread and self.position[a] < self.position[b]
            }
            for a in calls
        }
        for thread, creation in self.out.creations.items():
            direct[creation] |= {c for c in calls if self.event[c].thread == thread}
        for join, operation in self.out.calls.items():
            if isinstance(operation, ir.JoinThread):
                for call in calls:
                    if self.event[call].thread == operation.thread:
                        direct[call].add(join)
        for middle in calls:
            for after in direct.values():
                if middle in after:
                    after |= direct[middle]
        return direct

    def precedes(self, first: str, second: str) -> bool:
        """Whether a host call comes before another in every execution that has both."""
        return second in self._after[first]

    # ---- streams

    def _stream(self, call: str) -> ir.Stream | None:
        """The stream that a call issues something to: a grid, the record of an event, a wait for one."""
        match self.out.calls[call]:
            case ir.LaunchGrid(grid):
                return self.program.grids[grid].stream
            case ir.EventRecord(_, stream) | ir.EventWait(_, stream):
                return self.streams[stream]
            case _:
                return None

    def recorded(self, event: str, call: str) -> Iterator[tuple[str, Guard]]:
        """The records of an event that a call may refer to, each with where it is the latest one."""
        records = [
            c
            for c, op in self.out.calls.items()
            if isinstance(op, ir.EventRecord) and op.event == event and self.precedes(c, call)
        ]
        for record in records:
            latest = self.event[record].guard
            for other in records:
                if self.precedes(record, other):
                    latest &= ~self.event[other].guard
            yield record, latest

    @cached_property
    def _behind(self) -> dict[str, dict[str, Guard]]:
        """For each item that a call issues to a stream, the items that complete before it starts, and on which paths.

        Records and waits take no time; a path through them, or through a grid without events, is one where they are
        executed.
        """
        items = [c for c in sorted(self.out.calls, key=self.position.__getitem__) if self._stream(c) is not None]
        items.sort(key=lambda item: sum(self.precedes(other, item) for other in items))
        found: dict[str, dict[str, Guard]] = {}
        for item in items:
            direct: dict[str, Guard] = {}
            operation = self.out.calls[item]
            if isinstance(operation, ir.EventWait):
                direct = dict(self.recorded(operation.event, item))
            for earlier in found:
                later_stream, stream = self._stream(item), self._stream(earlier)
                assert later_stream is not None
                assert stream is not None
                if self.precedes(earlier, item) and waits_for(later_stream, stream):
                    direct[earlier] = self.out.guards.always
            whole = dict(direct)
            for middle, path in direct.items():
                if self._passes(middle):
                    for first, before in found[middle].items():
                        through = path & before & self.event[middle].guard
                        whole[first] = whole.get(first, self.out.guards.never) | through
            found[item] = whole
        return found

    def _passes(self, item: str) -> bool:
        """Whether an item has no event of its own that what comes after it could be ordered after."""
        operation = self.out.calls[item]
        return not (isinstance(operation, ir.LaunchGrid) and self.inside[operation.grid])

    def stream_order(self) -> Iterator[tuple[str, str, Guard]]:
        """Pairs of grids of which the first completes before the second starts, and on which paths."""
        grid_of = {launch: grid for grid, launch in self.out.launches.items()}
        for second, launch in self.out.launches.items():
            for first, path in sorted(self._behind[launch].items(), key=lambda item: self.position[item[0]]):
                if first in grid_of and not path.never:
                    yield grid_of[first], second, path

    def completions(self) -> Iterator[tuple[Event, str, Guard, Value | None]]:
        """Calls that return after the completion of a grid: the call, the grid, on which paths, with which result.

        A query reports on its own stream alone ("all operations in stream have completed"), the legacy one included.
        """
        for call, operation in self.out.calls.items():
            result = Reg(f"{call}?result", types.INT)
            for grid, launch in self.out.launches.items():
                path, when = self.out.guards.never, None
                match operation:
                    case ir.DeviceSynchronize(device):
                        if self.precedes(launch, call) and self.program.grids[grid].device == device:
                            path = self.out.guards.always
                    case ir.StreamSynchronize(stream) | ir.StreamQuery(_, stream):
                        path = self._in_stream(launch, stream, call)
                    case ir.EventSynchronize(event) | ir.EventQuery(_, event):
                        for record, latest in self.recorded(event, call):
                            path |= latest & self._behind[record].get(launch, self.out.guards.never)
                    case _:
                        continue
                if isinstance(operation, (ir.StreamQuery, ir.EventQuery)):
                    when = values.binary("==", result, Const(0, types.INT))
                if not path.never:
                    yield self.event[call], grid, path, when

    def _in_stream(self, launch: str, stream: str, call: str) -> Guard:
        """Where a launch is complete when everything issued to a stream before a call is."""
        path = self.out.guards.never
        for item, behind in self._behind.items():
            of_item = self._stream(item)
            if of_item is not None and of_item.name == stream and self.precedes(item, call):
                if item == launch:
                    path |= self.out.guards.always
                elif self._passes(item) and launch in behind:
                    path |= behind[launch] & self.event[item].guard
        return path

    # ---- barriers

    def phases(self) -> Iterator[tuple[Event, Event, Value | None]]:
        """Arrivals and waits of different threads at a barrier, with the condition that they are in one phase."""
        arrivals = [e for e in self.out.events if e.kind is Kind.ARRIVE]
        waits = [e for e in self.out.events if e.kind is Kind.WAIT]
        for arrival in arrivals:
            for wait in waits:
                here, there = self.out.barriers[arrival.id], self.out.barriers[wait.id]
                if arrival.thread == wait.thread or here.barrier != there.barrier:
                    continue
                same = here.meets(there)
                if same != values.FALSE:
                    yield arrival, wait, None if isinstance(same, Const) else same

    def votes(self) -> Iterator[tuple[Guard, Value]]:
        """What no execution has: the wait of a vote and another result than the votes of its phase give."""
        for wait in (e for e in self.out.events if e.kind is Kind.WAIT):
            passage = self.out.barriers[wait.id]
            if passage.vote is None:
                continue
            result: Value = Const(int(passage.vote.function == "and"), types.INT)
            for arrival in (e for e in self.out.events if e.kind is Kind.ARRIVE):
                other = self.out.barriers[arrival.id]
                if other.vote is None or other.barrier != passage.barrier:
                    continue
                same = values.binary("==", other.phase, passage.phase)
                cast = values.binary("&&", arrival.guard.value(self.out.conditions), same)
                result = _tally(passage.vote.function, result, cast, other.vote.predicate)
            yield wait.guard, values.binary("!=", Reg(f"{wait.id}?vote", types.INT), result)


def _tally(function: str, result: Value, cast: Value, predicate: Value) -> Value:
    """The result of a vote after one more thread, which takes part where ``cast`` holds."""
    truth = values.convert(predicate, types.BOOL)
    match function:
        case "count":
            one, none = Const(1, types.INT), Const(0, types.INT)
            return values.binary("+", result, values.choose(values.binary("&&", cast, truth), one, none))
        case "or":
            return values.binary("||", result, values.binary("&&", cast, truth))
        case _:
            return values.binary("&&", result, values.binary("||", values.unary("!", cast), truth))
