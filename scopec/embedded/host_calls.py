"""The calls of the host: launches, streams, events, and its threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scopec.embedded.states import State
from scopec.embedded.ways import Take, Ways
from scopec.memory.asw import waits_for
from scopec.program import ir
from scopec.progress.steps import (
    DONE,
    Pending,
    Step,
    leaves,
)

if TYPE_CHECKING:
    pass


class HostCalls(Ways):
    """What host calls wait for and leave behind."""

    def _before(self, name: str) -> Callable[[State], frozenset[str]]:
        """What an operation that is issued to a stream now comes after."""
        streams, grids = self.system.streams, self.system.program.grids
        earlier = {other for other, s in streams.items() if waits_for(streams[name], s)}
        fences = [self._slots["fence", other] for other in earlier]
        issued = self._slots["issued"]

        def before(s: State) -> frozenset[str]:
            ours = {g for g in s[issued] if grids[g].stream.name in earlier}
            return frozenset(g for g in ours.union(*(s[f] for f in fences)) if not self._grid_done(s, g))

        return before

    def _work(self, call: ir.Operation) -> Callable[[State], frozenset[str]]:
        """The grids that a call waits for or asks about."""
        if isinstance(call, ir.WorkSynchronize):
            issued_work = frozenset({call.grid})
            return lambda _: issued_work
        if isinstance(call, (ir.EventSynchronize, ir.EventQuery)):
            if call.event not in self.events:
                return lambda _: frozenset()
            slot = self._slots["event", call.event]
            return lambda s: s[slot]
        streams = self.system.waited(call)
        wanted = frozenset(g.name for g in self.system.program.grids.values() if g.stream.name in streams)
        issued = self._slots.get("issued")
        fences = [self._slots["fence", stream] for stream in streams] if self.events else []

        def work(s: State) -> frozenset[str]:
            found = wanted.intersection(s[issued]) if issued is not None else frozenset[str]()
            return found.union(*(s[fence] for fence in fences))

        return work

    def _all_done(self, work: Callable[[State], frozenset[str]]) -> Callable[[State], bool]:
        return lambda s: all(self._grid_done(s, g) for g in work(s))

    def _call(self, thread: ir.Thread, step: Step) -> Take | None:
        tree, slots = step.tree, self._slots
        match step.operation:
            case ir.LaunchGrid(grid):
                before = self._before(self.system.program.grids[grid].stream.name) if self.events else None

                def launch(s: State, after: list[Any]) -> None:
                    after[slots["issued"]] = (*s[slots["issued"]], grid)
                    if before is not None:
                        after[slots["after", grid]] = before(s)

                return self._way(thread, tree, also=launch)
            case ir.EventRecord(event, stream):
                found = self._before(stream)

                def record(s: State, after: list[Any]) -> None:
                    after[slots["event", event]] = after[slots["fence", stream]] = found(s)

                return self._way(thread, tree, also=record)
            case ir.EventWait(event, stream):
                earlier = self._before(stream)

                def wait(s: State, after: list[Any]) -> None:
                    after[slots["fence", stream]] = earlier(s) | s[slots["event", event]]

                return self._way(thread, tree, also=wait)
            case ir.DeviceSynchronize() | ir.StreamSynchronize() | ir.EventSynchronize() as call:
                work = self._work(call)
                if self.system.snapshots:

                    def note(s: State, after: list[Any]) -> None:
                        after[slots["awaited", thread.name]] = work(s)

                    return self._way(thread, tree, also=note)
                done, take = self._all_done(work), self._way(thread, tree)
                return lambda s: take(s) if done(s) else []
            case ir.WorkSynchronize() as call:
                complete, take = self._all_done(self._work(call)), self._way(thread, tree)
                return lambda s: take(s) if complete(s) else []
            case Pending():
                awaited = slots["awaited", thread.name]

                def returned(_: State, after: list[Any]) -> None:
                    after[awaited] = frozenset()

                take = self._way(thread, tree, also=returned)
                return lambda s: take(s) if all(self._grid_done(s, g) for g in s[awaited]) else []
            case ir.StreamQuery() | ir.EventQuery() as query:
                ready, not_ready = (self._way(thread, end) for end in leaves(tree))
                done = self._all_done(self._work(query))
                return lambda s: ready(s) if done(s) else not_ready(s)
            case ir.CreateThread(name):
                child = next(t for t in self.system.hosts if t.name == name)
                slot, entry = self.number[name], self.system.begin(child).label

                def create(_: State, after: list[Any]) -> None:
                    after[slot] = entry

                return self._way(thread, tree, also=create)
            case ir.JoinThread(name):
                other = self.number[name]
                return self._blocking(thread, step, lambda s: s[other] == DONE, self._way(thread, tree))
            case _:
                return None
