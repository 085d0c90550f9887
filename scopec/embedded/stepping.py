"""The steps of a system as functions from a state to those that may come next.

Functions are made once a step and thread, so that a state costs no look at the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scopec.embedded.barriers import Barriers
from scopec.embedded.host_calls import HostCalls
from scopec.embedded.states import State
from scopec.embedded.waiting import Waiting
from scopec.embedded.ways import Take
from scopec.program import ir
from scopec.progress.steps import (
    Asleep,
    Step,
    Wait,
    leaves,
    touches_memory,
)

if TYPE_CHECKING:
    from scopec.progress.system import System


class Stepping(Waiting, Barriers, HostCalls):
    """The steps of the threads of a system."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self._takes: dict[tuple[int, str], Take] = {}

    def can_start(self, thread: ir.Thread) -> Callable[[State], bool]:
        """Whether a thread may start: "A device thread shall not start until all its dependencies have completed."."""
        grid = thread.grid
        if grid is None:
            return lambda _: True
        if not self.issues:
            before = self.system.before.get(grid, ())
            return lambda s: all(self._grid_done(s, g) for g in before)
        issued = self._slots["issued"]
        if self.events:
            after = self._slots["after", grid]
            return lambda s: grid in s[issued] and all(self._grid_done(s, g) for g in s[after])

        def ready(s: State) -> bool:
            for other in s[issued]:
                if other == grid:
                    return True
                if self.system.ordered(other, grid) and not self._grid_done(s, other):
                    return False
            return False

        return ready

    def step(self, thread: ir.Thread, label: str) -> Take:
        """What a thread may do at a label."""
        key = (self.number[thread.name], label)
        if key not in self._takes:
            self._takes[key] = self._step(thread, self.system.steps[label])
        return self._takes[key]

    def _step(self, thread: ir.Thread, step: Step) -> Take:
        match step.operation:
            case ir.SyncThreads() | ir.GroupSync() as operation:
                return self._arrive(thread, step, operation)
            case Wait(ir.SyncThreads() | ir.GroupSync() as operation):
                return self._leave(thread, step, operation)
            case ir.NamedBarrier() as operation:
                return self._arrive_at_name(thread, step, operation)
            case Wait(ir.NamedBarrier() as operation):
                return self._leave_name(thread, step, operation)
            case ir.Notify(place, everyone):
                return self._notify(thread, step, place, everyone=everyone)
            case Asleep():
                return self._blocking(thread, step, lambda _: 0, self._way(thread, step.tree))
            case (
                ir.Load(place=place)
                | ir.Store(place=place)
                | ir.Rmw(place=place)
                | ir.CompareExchange(place=place)
                | ir.Await(place=place)
            ) if touches_memory(step):
                return self._access(thread, step, place)
            case _:
                called = self._call(thread, step)
                return self._way(thread, step.tree) if called is None else called

    def _access(self, thread: ir.Thread, step: Step, place: ir.Place) -> Take:
        cell = self._cell(place, thread)

        def old(s: State) -> int:
            return s[cell(s)]  # type: ignore[no-any-return]

        wakes = None
        if place.object in self._beds and any(end.write is not None for end in leaves(step.tree)):
            wakes = self._sleepers(thread, place, due=False)
        take = self._way(thread, step.tree, old=old, cell=cell, wakes=wakes)
        if step.guard is None:
            return take
        return self._blocking(thread, step, self.value(step.guard, thread, old), take)
