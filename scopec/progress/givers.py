"""Whose value a thread reads that never changes: who wrote it, what has become of that thread, and who else could."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.progress.found import reached, shown
from scopec.progress.slicing import accessed
from scopec.progress.steps import DONE, IDLE, OWN_KINDS, Role, leaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.program import ir
    from scopec.progress.schedule import Moment, Move
    from scopec.progress.steps import Step, Visible
    from scopec.progress.system import System

#: The number of threads that a sentence names.
_MOST = 3


def own_step(system: System, label: str) -> Step:
    """The step at a label, or the one of which a label is the second."""
    step = system.steps[label]
    return system.steps[step.of] if step.role is Role.AGAIN else step


def since(system: System, thread: ir.Thread, operation: Visible, last: Moment, moves: Sequence[Move]) -> str:
    """The words for it, behind "it never changes"; none where the value is not known."""
    found = reached(operation, thread, last, system)
    if found is None:
        return ""
    name = found[0]
    wrote = next((move for move in reversed(moves) if name in move.changes), None)
    if wrote is None:
        value = shown(operation, thread, last, system)
        return "" if value is None else f": it is {value} from the beginning{_givers(system, thread, operation, last)}"
    said = f": it is {wrote.changes[name]} since {wrote.thread} wrote it at line {wrote.span.line}"
    label = last.labels[wrote.thread]
    if label == DONE:
        end = next(move for move in reversed(moves) if move.thread == wrote.thread)
        said += f", and {wrote.thread} has ended, after line {end.span.line}"
    elif wrote.thread != thread.name and label != IDLE:
        said += f", and {wrote.thread} is at line {own_step(system, label).span.line}"
    return said + _givers(system, thread, operation, last)


def waited_for(
    system: System, thread: ir.Thread, operation: Visible, last: Moment, moves: Sequence[Move]
) -> tuple[str, ...]:
    """The threads that could write what a thread reads; where there are none, the one that wrote it."""
    able = tuple(name for name, _ in _able(system, thread, operation, last))
    found = reached(operation, thread, last, system)
    wrote = next((m.thread for m in reversed(moves) if found is not None and found[0] in m.changes), thread.name)
    return able or ((wrote,) if wrote != thread.name else ())


def _givers(system: System, thread: ir.Thread, operation: Visible, last: Moment) -> str:
    """The threads that could write it, in words."""
    found = [f"{name} could write it at line {line}" for name, line in _able(system, thread, operation, last)]
    more = f", and {len(found) - _MOST} others" if len(found) > _MOST else ""
    return f"; {', '.join(found[:_MOST])}{more}" if found else "; no other thread that is left could write it"


def _able(system: System, thread: ir.Thread, operation: Visible, last: Moment) -> list[tuple[str, int]]:
    """The threads that are left and could write what a thread reads, if they got on, with a line; those that wait for
    the same are none of them."""
    place = accessed(operation)
    if place is None:
        return []
    found = []
    for other in system.everyone:
        label = last.labels[other.name]
        if label == DONE or other.name == thread.name or (label == IDLE and other.name in system.created):
            continue
        if label != IDLE and _object(own_step(system, label)) == place.object:
            continue
        if (line := _writes(system, other, label, place.object)) is not None:
            found.append((other.name, line))
    return found


def _writes(system: System, thread: ir.Thread, label: str, name: str) -> int | None:
    """A line at which a thread writes an object, from a label on: that of a wait for it only if there is no other."""
    steps = system.machine_of(thread).steps
    open_, seen = [system.begin(thread).label if label == IDLE else label], set()
    while open_:
        at = open_.pop()
        if at in steps and at not in seen:
            seen.add(at)
            open_ += [*(end.label for end in leaves(steps[at].tree)), *filter(None, [steps[at].of])]
    wrote = [s for at, s in steps.items() if at in seen and at != label and _object(s) == name and _stores(s)]
    return min(((_waits(s), s.span.line) for s in wrote), default=(False, None))[1]


def _object(step: Step) -> str | None:
    """The object that a step accesses."""
    place = None if isinstance(step.operation, OWN_KINDS) else accessed(step.operation)
    return None if place is None else place.object


def _stores(step: Step) -> bool:
    return any(end.write is not None for end in leaves(step.tree))


def _waits(step: Step) -> bool:
    return any(end.label == step.label for end in leaves(step.tree))
