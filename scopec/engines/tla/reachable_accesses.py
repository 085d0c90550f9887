"""Accesses that a thread may still make from a label on: they bound what the example hardware does by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from scopec.base.graphs import components
from scopec.program import ir
from scopec.program.constants import constants, fold
from scopec.program.observe import Location, instance
from scopec.program.values import Const
from scopec.progress.steps import Asleep, leaves

if TYPE_CHECKING:
    from scopec.progress.steps import Step, Visible
    from scopec.progress.system import System

#: The place that an operation accesses in the way that is asked about, if it does.
Accesses = Callable[["Visible"], ir.Place | None]


def ahead(
    system: System, thread: ir.Thread, locations: Iterable[Location], accesses: Accesses
) -> dict[str, frozenset[Location]]:
    """The locations that a thread may access at each label of its machine or later."""
    builtins = thread.builtins or {}
    known = constants(thread.body, builtins)
    steps = system.machine_of(thread).steps

    def at(step: Step) -> frozenset[Location]:
        place = accesses(step.operation)
        if place is None:
            return frozenset()
        index = fold(place.index, known, builtins)
        element = index.value if isinstance(index, Const) else None
        own = instance(system.program.objects[place.object], thread)
        return frozenset(
            where
            for where in locations
            if where.object == place.object and where.instance == own and element in (None, where.index)
        )

    accessed = {label: at(step) for label, step in steps.items()}
    return {label: frozenset[Location]().union(*(accessed[on] for on in _from(label, steps))) for label in steps}


def _from(label: str, steps: Mapping[str, Step]) -> Iterable[str]:
    """The labels that a thread may come to from one on."""
    if any(isinstance(step.operation, Asleep) for step in steps.values()):
        return steps  # other threads move one that sleeps

    def following(at: str) -> list[str]:
        return [on for on in (steps[at].again, *(end.label for end in leaves(steps[at].tree))) if on in steps]

    return (on for part in components([label], following) for on in part)
