"""The ``wait`` and ``notify`` of atomics: threads that sleep until another one wakes them.

A thread that finds the old value goes to sleep.  Once the object has been written it is due: "eligible to be unblocked"
([atomics.wait]).  A notification has threads that are due look again; others sleep on, since they would do so anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.values import Const
from scopec.progress.steps import Asleep, Role, label_of, leaves
from scopec.progress.terms import FALSE, Of, Term, among, at, both, either, equal, label, set_of, those
from scopec.progress.transition import Table, Transition, Wakes

if TYPE_CHECKING:
    from scopec.progress.steps import Step
    from scopec.progress.system import System

#: The tables that move a thread: one that sleeps becomes due, one that is due looks again.
DUE, LOOK = "Due", "Look"


def _beds(system: System) -> list[tuple[Step, Asleep]]:
    """The places at which threads of a system may sleep."""
    return [(s, s.operation) for s in system.steps.values() if isinstance(s.operation, Asleep)]


def tables(system: System) -> Iterator[tuple[str, Table]]:
    """The label of a thread that is due for that of one that sleeps, and where one that is woken looks again."""
    beds = _beds(system)
    if beds:
        due = {label(name): label(label_of(s.of, Role.DUE)) for s, bed in beds if not bed.due for name in s.labels}
        look = {label(name): label(s.of) for s, bed in beds if bed.due for name in s.labels}
        yield DUE, due
        yield LOOK, look


def _sleepers(system: System, place: ir.Place, *, due: bool) -> Term:
    """The threads that sleep on a place, and are due or not."""
    beds = [(s, bed.on.place) for s, bed in _beds(system) if bed.due is due and bed.on.place.object == place.object]
    return those("u", "Threads", either(*(_lies(system, s, theirs, place) for s, theirs in beds)))


def _lies(system: System, bed: Step, theirs: ir.Place, place: ir.Place) -> Term:
    labels = [label(name) for name in bed.labels]
    conditions = [equal(at("pc", "u"), labels[0]) if len(labels) == 1 else among(at("pc", "u"), set_of(*labels))]
    if not (isinstance(theirs.index, Const) and isinstance(place.index, Const)):
        conditions.append(equal(Of(theirs.index, "u"), Of(place.index)))
    elif theirs.index.value != place.index.value:
        return FALSE
    instances = system.instances_of(place.object)
    if instances:
        conditions.append(equal(at(instances, "u"), at(instances, "t")))
    return both(*conditions)


def _is_slept_on(system: System, place: ir.Place) -> bool:
    return any(bed.on.place.object == place.object for _, bed in _beds(system))


def written(system: System, step: Step, place: ir.Place) -> Wakes | None:
    """Those that sleep on the place of a step become due when it writes."""
    if _is_slept_on(system, place) and any(end.write is not None for end in leaves(step.tree)):
        return Wakes(_sleepers(system, place, due=False), DUE)
    return None


def notify(system: System, step: Step, operation: ir.Notify) -> Transition:
    """A notification: all that are due look again, or one of them."""
    if not _is_slept_on(system, operation.place):
        return Transition(step)
    return Transition(step, wakes=Wakes(_sleepers(system, operation.place, due=True), LOOK, not operation.everyone))
