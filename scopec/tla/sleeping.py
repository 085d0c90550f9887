"""The ``wait`` and ``notify`` of atomics in TLA+: threads that sleep until another one wakes them.

A thread that finds the old value goes to sleep.  Once the object has been written it is due: "eligible to be unblocked"
([atomics.wait]).  A notification has threads that are due look again; others sleep on, since they would do so anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.values import Const
from scopec.progress.steps import Asleep, Step, leaves
from scopec.tla.names import function

if TYPE_CHECKING:
    from scopec.progress.steps import Tree
    from scopec.progress.system import System
    from scopec.tla.actions import Actions


class Sleepers:
    """Where threads of a system may sleep."""

    def __init__(self, system: System) -> None:
        self.beds = [s for s in system.steps.values() if isinstance(s.operation, Asleep)]
        self.objects = {_bed(s).on.place.object for s in self.beds}
        self.labels = system.steps

    def maps(self) -> list[tuple[str, str]]:
        """The label of a thread that is due for that of one that sleeps, and where one that is woken looks again."""
        if not self.beds:
            return []
        due: list[tuple[str, str]] = []
        look: list[tuple[str, str]] = []
        for step in self.beds:
            stem = step.label.rpartition("_")[0]
            for label in self._same(step):
                if _bed(step).due:
                    look.append((label, f'"{stem}"'))
                else:
                    due.append((label, f'"{stem}_due"'))
        return [("Due", function(due)), ("Look", function(look))]

    def _same(self, step: Step) -> list[str]:
        """The labels of a bed: where each turn of waiting is a step, there are two."""
        return [label for label in (step.label, f"{step.label}_again") if label in self.labels]

    def on(self, actions: Actions, step: Step, place: ir.Place, *, due: bool) -> str:
        """The set of threads that sleep on the place of a step, and are due or not."""
        beds = [s for s in self.beds if _bed(s).due is due and _bed(s).on.place.object == place.object]
        lies = " \\/ ".join(self._lies(actions, step, place, bed) for bed in beds)
        return f"{{u \\in Threads : {lies}}}"

    def _lies(self, actions: Actions, step: Step, place: ir.Place, bed: Step) -> str:
        labels = self._same(bed)
        there = [f'pc[u] = "{labels[0]}"' if len(labels) == 1 else f"pc[u] \\in {{{', '.join(map(_quoted, labels))}}}"]
        theirs = _bed(bed).on.place
        if not (isinstance(theirs.index, Const) and isinstance(place.index, Const)):
            index = actions.printer(step).value(place.index)
            there.append(f"{actions.printer(bed, who='u').value(theirs.index)} = {index}")
        elif theirs.index.value != place.index.value:
            return "FALSE"
        instance = actions.layout.instance_map(place)
        if instance:
            there.append(f"{instance}[u] = {instance}[t]")
        both = " /\\ ".join(there)
        return f"({both})" if len(there) > 1 else both

    def stir(self, actions: Actions, step: Step, place: ir.Place, tree: Tree, label: str) -> str:
        """The new labels when a step writes: the thread goes on, and those that sleep on the place become due."""
        who = self.on(actions, step, place, due=False)
        if any(end.write is None for end in leaves(tree)):
            who = f"{{u \\in {who} : {actions.writes(tree, step, place)}}}"
        return f"GotoAnd(t, {label}, {who}, Due)"

    def notify(self, actions: Actions, step: Step, operation: ir.Notify) -> list[str]:
        """The conjuncts of a notification."""
        if operation.place.object not in self.objects:
            return actions.way(step.tree, step)
        who = self.on(actions, step, operation.place, due=True)
        if operation.everyone:
            return actions.way(step.tree, step, move=lambda label: f"GotoAnd(t, {label}, {who}, Look)")
        return actions.way(
            step.tree, step, move=lambda label: f"\\E S \\in OneOf({who}) : GotoAnd(t, {label}, S, Look)"
        )


def _bed(step: Step) -> Asleep:
    assert isinstance(step.operation, Asleep)
    return step.operation


def _quoted(label: str) -> str:
    return f'"{label}"'
