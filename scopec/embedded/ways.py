"""Where the end of a step leads: label, registers and memory of the state after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from scopec.embedded.states import Compute, State, States
from scopec.program import ir
from scopec.progress.steps import (
    Either,
    Fork,
    Goto,
    Step,
)

if TYPE_CHECKING:
    from scopec.progress.steps import Tree

#: The states that a step may lead to, each with whether every choice fell well.
Take: TypeAlias = "Callable[[State], list[tuple[State, bool]]]"


class Ways(States):
    """The ends of steps as functions from a state to those that may come next."""

    def _blocking(self, thread: ir.Thread, step: Step, condition: Compute, take: Take) -> Take:
        """A step that waits for a condition; where each turn is a step there is a second label."""
        again, me = f"{step.label}_again", self.number[thread.name]
        if again not in self.system.steps:
            return lambda s: take(s) if condition(s) else []
        return lambda s: take(s) if condition(s) else [((*s[:me], again, *s[me + 1 :]), True)]

    def _way(
        self,
        thread: ir.Thread,
        tree: Tree,
        *,
        old: Compute | None = None,
        out: Compute | None = None,
        cell: Compute | None = None,
        wakes: Callable[[State], list[tuple[int, str]]] | None = None,
        also: Callable[[State, list[Any]], None] | None = None,
    ) -> Take:
        """Where a tree leads: memory, registers and label; ``also`` makes further changes, seeing the state before."""
        match tree:
            case Fork(condition, then, otherwise):
                test = self.value(condition, thread, old, out)
                yes, no = (
                    self._way(thread, side, old=old, out=out, cell=cell, wakes=wakes, also=also)
                    for side in (then, otherwise)
                )
                return lambda s: yes(s) if test(s) else no(s)
            case Either(first, second):
                good, bad = (
                    self._way(thread, side, old=old, out=out, cell=cell, wakes=wakes, also=also)
                    for side in (first, second)
                )
                return lambda s: [*good(s), *((t, False) for t, _ in bad(s))]
            case Goto(label, updates, write):
                me = self.number[thread.name]
                changes = [
                    (self._slots["register", thread.name, name], self.value(value, thread, old, out))
                    for name, value in updates
                    if ("register", thread.name, name) in self._slots
                ]
                written = None if write is None else self.value(write, thread, old, out)

                def take(s: State) -> list[tuple[State, bool]]:
                    after = list(s)
                    if written is not None and cell is not None:
                        after[cell(s)] = written(s)
                        if wakes is not None:
                            for sleeper, to in wakes(s):
                                after[sleeper] = to
                    for slot, value in changes:
                        after[slot] = value(s)
                    if also is not None:
                        also(s, after)
                    after[me] = label
                    return [(tuple(after), True)]

                return take
