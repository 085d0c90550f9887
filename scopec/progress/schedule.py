"""Schedules: a counterexample of the progress question, at source positions, with what each thread is owed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING

from scopec.memory.collective import shown_barrier, shown_call
from scopec.program import ir
from scopec.program.show import show_place
from scopec.program.values import show
from scopec.progress.steps import DONE, IDLE, Again, Return, Tick, Visible, Wait

if TYPE_CHECKING:
    from scopec.progress.system import System
    from scopec.source import Span


class Ending(Enum):
    """How a schedule goes on for ever."""

    DEADLOCK = "deadlock"
    STOP = "stop"
    LASSO = "lasso"


@dataclass(frozen=True, slots=True)
class Moment:
    """A state: the label of each thread, the values in memory and registers, the grids launched so far."""

    labels: Mapping[str, str]
    memory: Mapping[str, object]
    registers: Mapping[str, Mapping[str, object]]
    issued: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a schedule: who did what, what changed, and the state after it."""

    thread: str
    label: str
    action: str
    span: Span
    changes: Mapping[str, str]
    after: Moment


@dataclass(frozen=True, slots=True)
class Behind:
    """A thread that does not get on: where it is, and which rule owes it nothing (or what it waits for)."""

    thread: str
    where: str
    why: str
    span: Span


@dataclass(frozen=True)
class Schedule:
    """A fair behaviour in which the property fails.

    ``loop_to`` is the number of the move (from 0) that the last one leads back before, for a lasso; ``stuttering`` is
    true where nothing happens any more.
    """

    start: Moment
    moves: tuple[Move, ...]
    ending: Ending
    loop_to: int | None
    behind: tuple[Behind, ...]

    @property
    def stuttering(self) -> bool:
        """Whether nothing happens any more at the end."""
        return self.ending is not Ending.LASSO


def describe(operation: Visible) -> str:
    """What a step does, for people: ``loads f (acquire, device)``."""
    match operation:
        case Tick():
            return "goes round the loop"
        case Return(function, None):
            return f"{function} returns"
        case Return(function, ready):
            return f"{function} returns {'cudaSuccess' if ready else 'cudaErrorNotReady'}"
        case Wait():
            return "leaves __syncthreads"
        case Again(of):
            return "waits on" if isinstance(of, Wait) else "goes round again"
        case ir.SyncThreads():
            return "arrives at __syncthreads"
        case ir.DeviceSynchronize():
            return "cudaDeviceSynchronize returns"
        case ir.LaunchGrid(grid):
            return f"launches {grid}"
        case ir.ApiCall(function):
            return f"{function} returns"
        case ir.StreamQuery(_, stream):
            return f"calls cudaStreamQuery for {stream}"
        case ir.Load(_, place, mode):
            return f"{'loads' if mode.atomic else 'reads'} {show_place(place)}{_how(mode)}"
        case ir.Store(place, value, mode):
            return f"{'stores' if mode.atomic else 'writes'} {show_place(place)} = {show(value)}{_how(mode)}"
        case ir.Rmw(_, place, _, mode):
            return f"updates {show_place(place)}{_how(mode)}"
        case ir.CompareExchange(place=place, mode=mode):
            return f"compares and exchanges {show_place(place)}{_how(mode)}"
        case ir.Fence(order, scope):
            return f"fence ({order.value}, {scope.name.lower()})"
        case ir.Await(place=place):
            return f"waits on {show_place(place)}"
        case ir.Notify(place, _):
            return f"notifies {show_place(place)}"
        case ir.NamedBarrier(name, _, _):
            return f"arrives at barrier {', '.join(show(part) for part in name)}"
        case ir.GroupSync():
            return f"arrives at {shown_barrier(operation)}"
        case (
            ir.CreateThread()
            | ir.JoinThread()
            | ir.StreamSynchronize()
            | ir.EventRecord()
            | ir.EventWait()
            | ir.EventSynchronize()
            | ir.EventQuery()
        ):
            return f"calls {shown_call(operation)}"
        case ir.Yield():
            return "yields"
        case ir.InputOutput():
            return "prints"
        case ir.Set() | ir.Assert() | ir.Decide():
            return "computes"


def _how(mode: ir.Mode) -> str:
    if mode.order is not None:
        return f" ({mode.order.value}, {mode.scope.name.lower()})"
    return " (volatile)" if mode.volatile else ""


def schedule(system: System, moments: Sequence[Moment], ending: Ending, loop_to: int | None) -> Schedule:
    """The schedule that a sequence of states shows; ``loop_to`` is the index of the state that it goes back to."""
    moves = [_move(system, before, after) for before, after in pairwise(moments)]
    if ending is Ending.LASSO and loop_to is not None:
        moves.append(_move(system, moments[-1], moments[loop_to]))
    last = moments[-1]
    around = list(moments[loop_to:]) if loop_to is not None else [last]
    return Schedule(moments[0], tuple(moves), ending, loop_to, tuple(_behind(system, around)))


def _move(system: System, before: Moment, after: Moment) -> Move:
    moved = [t for t in before.labels if before.labels[t] != after.labels[t]]
    thread = moved[0] if moved else next(iter(before.labels))
    label = before.labels[thread]
    changes: dict[str, str] = {}
    for name, value in after.memory.items():
        if before.memory.get(name) != value:
            changes[name] = _shown(value)
    for name, value in after.registers.get(thread, {}).items():
        if before.registers.get(thread, {}).get(name) != value and not name.startswith("%"):
            changes[f"{thread}.{name}"] = _shown(value)
    starts = label == IDLE
    if starts:
        starting = next(t for t in system.threads if t.name == thread)
        label = system.begin(starting).label
        if label in system.late_entries:
            return Move(thread, IDLE, "starts", _origin(system, starting), changes, after)
    step = system.steps[label]
    action = f"starts, {describe(step.operation)}" if starts else describe(step.operation)
    return Move(thread, label, action, step.span, changes, after)


def _origin(system: System, thread: ir.Thread) -> Span:
    """What starts a thread: its launch, or its first operation."""
    if thread.grid is not None:
        return system.program.grids[thread.grid].span
    return thread.body.nodes[thread.body.entry].span


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "[" + ", ".join(f"{k}: {_shown(v)}" for k, v in value.items()) + "]"
    if isinstance(value, tuple):
        return "[" + ", ".join(_shown(v) for v in value) + "]"
    return str(value)


# ---------------------------------------------------------------- who is owed nothing, and why


NOT_STARTED = "has not started"
_UNCHANGED = "what it reads never changes"
_SILENT = (
    "it goes on for ever without an operation that counts for [intro.progress.1]: that is undefined behaviour, and "
    "nothing is promised to any thread"
)


_UNIT_RULE = "no rule starts another {0}: only threads of a {0} that has made progress are owed progress"


def _refused(system: System) -> str:
    return f"`{system.model.name}` owes it nothing: {system.model.why}"


def _behind(system: System, around: Sequence[Moment]) -> list[Behind]:
    """For each thread that is not done in the states that repeat for ever: where it stays, and why nothing helps."""
    last = around[-1]
    found = []
    for thread in system.everyone:
        label = last.labels[thread.name]
        if label == DONE:
            continue
        if label == IDLE:
            found.append(_not_started(system, thread, last))
        else:
            moving = len({moment.labels[thread.name] for moment in around}) > 1
            found.append(_running(system, thread, label, last, moving=moving))
    return found


def _not_started(system: System, thread: ir.Thread, last: Moment) -> Behind:
    span = _origin(system, thread)
    where = NOT_STARTED
    if not system.model.has_host:
        waits = [g for g in system.before.get(thread.grid or "", ()) if not _grid_done(system, g, last)]
        if waits:
            return Behind(thread.name, where, f"{thread.grid} comes after {waits[0]}", span)
        return Behind(thread.name, where, _refused(system), span)
    if thread.grid is None:
        return Behind(thread.name, where, _UNIT_RULE.format("block"), span)
    if thread.grid not in last.issued:
        return Behind(thread.name, where, f"{thread.grid} has not been launched", span)
    position = last.issued.index(thread.grid)
    unfinished = [
        g for g in last.issued[:position] if system.ordered(g, thread.grid) and not _grid_done(system, g, last)
    ]
    if unfinished:
        return Behind(thread.name, where, f"{thread.grid} comes after {unfinished[0]} in stream order", span)
    running = [t.name for t in system.threads if last.labels[t.name] not in (IDLE, DONE)]
    in_api = any(last.labels[h.name] in system.api_labels for h in system.hosts)
    unit = "block" if len({t.block_name for t in system.threads}) > 1 else "grid"
    if running:
        why = _UNIT_RULE.format(unit) + (f", and the API's promise is kept by {running[0]}" if in_api else "")
    elif in_api:
        why = "the pending API call may return first"
    else:
        why = "no CUDA API call is pending, and nothing else makes the implementation start a device thread"
    return Behind(thread.name, where, why, span)


def _grid_done(system: System, grid: str, moment: Moment) -> bool:
    return all(moment.labels[t.name] == DONE for t in system.threads if t.grid == grid)


def _running(system: System, thread: ir.Thread, label: str, last: Moment, *, moving: bool) -> Behind:
    step = system.steps[label]
    operation = step.operation.of if isinstance(step.operation, Again) else step.operation
    match operation:
        case Wait() | ir.SyncThreads():
            missing = [
                t.name
                for t in system.threads
                if t.block_name == thread.block_name
                and t.name != thread.name
                and not _at_barrier(system, last, t)
                and last.labels[t.name] != DONE
            ]
            why = f"waits for {', '.join(missing)}" if missing else "waits for the other threads of its block"
            return Behind(thread.name, "waits at __syncthreads", why, step.span)
        case ir.DeviceSynchronize(device):
            grids = system.program.grids
            open_ = [g for g in last.issued if grids[g].device == device and not _grid_done(system, g, last)]
            return Behind(
                thread.name, "waits in cudaDeviceSynchronize", f"{', '.join(open_)} has not completed", step.span
            )
        case Return(function, _):
            return Behind(thread.name, f"is inside {function}", "the call may wait while device threads run", step.span)
        case _:
            pass
    counts = system.steps[label.removesuffix("_again")].counts
    if not moving and not system.model.has_host:
        return Behind(thread.name, f"is before: {describe(operation)}", _refused(system), step.span)
    return Behind(thread.name, f"{describe(operation)}, again and again", _UNCHANGED if counts else _SILENT, step.span)


def _at_barrier(system: System, moment: Moment, thread: ir.Thread) -> bool:
    label = moment.labels[thread.name]
    return label in system.steps and isinstance(system.steps[label].operation, Wait)
