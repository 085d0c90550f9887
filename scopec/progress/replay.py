"""From the states of a behaviour to a schedule."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from scopec.program.ir import Use
from scopec.progress.describe import describe, state_in_words
from scopec.progress.found import located, shown
from scopec.progress.schedule import Ending, Moment, Move, Schedule
from scopec.progress.steps import IDLE, Asleep, Step, leaves
from scopec.progress.stuck import behind, origin

if TYPE_CHECKING:
    from scopec.progress.system import System


def schedule(
    system: System, moments: Sequence[Moment], actions: Sequence[str], ending: Ending, loop_to: int | None
) -> Schedule:
    """The schedule that a sequence of states shows; ``loop_to`` is the index of the state that it goes back to.

    ``actions`` are the names of the actions between the states, as far as they are known.
    """
    moves = [move(system, *pair, action) for pair, action in zip(pairwise(moments), actions, strict=True)]
    if ending is Ending.LASSO and loop_to is not None:
        moves.append(move(system, moments[-1], moments[loop_to], ""))
    around = list(moments[loop_to:]) if loop_to is not None else [moments[-1]]
    return Schedule(moments[0], tuple(moves), ending, loop_to, tuple(behind(system, around, moves)))


def move(system: System, before: Moment, after: Moment, action: str, *, finds: bool = True) -> Move:
    """The move between two states; ``action`` is the name of the action between them, if it is known, IDLE of a start
    without more.  ``finds`` is whether what a read finds is what is in memory, which is not so of one with caches.
    """
    moved = [t for t in before.labels if before.labels[t] != after.labels[t]]
    # A step may also start another host thread, or wake threads that sleep.
    own = [t for t in moved if before.labels[t] != IDLE and not _sleeps(system, before.labels[t])]
    # Where no label changes, a thread has gone round a loop of one step.
    there = [t for t, label in before.labels.items() if label == action]
    loops = [t for t, label in before.labels.items() if label in system.steps and _loops(system.steps[label])]
    thread = next(iter(own or moved or there or loops or before.labels))
    label = before.labels[thread]
    changes: dict[str, str] = {}
    for name, value in after.memory.items():
        use = system.program.objects[name].use if name in system.program.objects else Use.DATA
        changes.update(_changed(name, before.memory.get(name), value, use))
    for name, value in after.registers.get(thread, {}).items():
        if before.registers.get(thread, {}).get(name) != value and not name.startswith("%"):
            changes[f"{thread}.{name}"] = _shown(value)
    starts = label == IDLE
    moving = next(t for t in system.everyone if t.name == thread)
    if starts:
        label = system.begin(moving).label
        if action == IDLE or label in system.late_entries:
            return Move(thread, IDLE, "starts", origin(system, moving), changes, after)
    step = system.steps[label]
    operation = located(step.operation, moving, before, system)
    found = shown(operation, moving, before, system) if finds else None
    did = describe(operation, system.program, found)
    return Move(thread, label, f"starts, {did}" if starts else did, step.span, changes, after)


def _changed(name: str, before: object, after: object, use: Use) -> dict[str, str]:
    """The change of an object by a step: of an array, its elements that are different."""
    if before == after:
        return {}
    if use in (Use.BARRIER, Use.MBARRIER) and isinstance(after, dict) and "phase" in after:
        words = state_in_words(after)
        return {} if isinstance(before, dict) and words == state_in_words(before) else {name: words}
    if isinstance(before, dict) and isinstance(after, dict):
        return {k: v for i in after for k, v in _changed(f"{name}[{i}]", before.get(i), after[i], use).items()}
    if isinstance(before, tuple) and isinstance(after, tuple):
        found = [_changed(f"{name}[{i}]", *pair, use) for i, pair in enumerate(zip(before, after, strict=True))]
        return {k: v for changes in found for k, v in changes.items()}
    return {name: _shown(after)}


def _loops(step: Step) -> bool:
    return any(end.label == step.label for end in leaves(step.tree))


def _sleeps(system: System, label: str) -> bool:
    return label in system.steps and isinstance(system.steps[label].operation, Asleep)


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "[" + ", ".join(f"{k}: {_shown(v)}" for k, v in value.items()) + "]"
    if isinstance(value, tuple):
        return "[" + ", ".join(_shown(v) for v in value) + "]"
    return str(value)
