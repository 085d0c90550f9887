"""`wait` and `notify` on atomics: threads that sleep, and who wakes them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.embedded.states import Compute, State
from scopec.embedded.ways import Take, Ways
from scopec.program import ir
from scopec.progress.steps import (
    Asleep,
    Step,
)

if TYPE_CHECKING:
    pass


class Waiting(Ways):
    """Threads that sleep on an atomic."""

    @cached_property
    def _beds(self) -> dict[str, list[Step]]:
        """The steps at which threads sleep, by object."""
        found: dict[str, list[Step]] = {}
        for step in self.system.steps.values():
            if isinstance(step.operation, Asleep):
                found.setdefault(step.operation.on.place.object, []).append(step)
        return found

    def _sleepers(self, thread: ir.Thread, place: ir.Place, *, due: bool) -> Callable[[State], list[tuple[int, str]]]:
        """The threads that sleep on a place, and are due or not, each with the label that they are moved to."""
        index = self.value(place.index, thread)
        where = self._instance(place.object, thread)
        found: list[tuple[int, frozenset[str], Compute, str]] = []
        for bed in self._beds.get(place.object, ()):
            assert isinstance(bed.operation, Asleep)
            if bed.operation.due is not due:
                continue
            stem = bed.label.rpartition("_")[0]
            labels = frozenset({bed.label, f"{bed.label}_again"})
            for other in self.threads:
                if bed.label in self.system.machine_of(other).steps and self._instance(place.object, other) == where:
                    theirs = self.value(bed.operation.on.place.index, other)
                    found.append((self.number[other.name], labels, theirs, stem if due else f"{stem}_due"))
        return lambda s: [(n, to) for n, labels, theirs, to in found if s[n] in labels and theirs(s) == index(s)]

    def _notify(self, thread: ir.Thread, step: Step, place: ir.Place, *, everyone: bool) -> Take:
        take = self._way(thread, step.tree)
        if place.object not in self._beds:
            return take
        sleepers = self._sleepers(thread, place, due=True)

        def woken(s: State, who: list[tuple[int, str]]) -> list[tuple[State, bool]]:
            out = []
            for after, well in take(s):
                changed = list(after)
                for n, to in who:
                    changed[n] = to
                out.append((tuple(changed), well))
            return out

        def notify(s: State) -> list[tuple[State, bool]]:
            who = sleepers(s)
            if everyone or not who:
                return woken(s, who)
            return [after for one in who for after in woken(s, [one])]

        return notify
