"""Threads that stay behind in a schedule: where each is, and which rule owes it nothing, or what it waits for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.program import ir, types, values
from scopec.program.collective import barrier_of
from scopec.program.show import show_place, shown_barrier, shown_call
from scopec.program.values import Builtin, Reg
from scopec.progress.describe import call_in_words, describe, element
from scopec.progress.found import located, reached
from scopec.progress.givers import own_step, since, waited_for
from scopec.progress.launch_events import silent_block
from scopec.progress.schedule import NOT_STARTED, Behind, Moment, Move, Standing
from scopec.progress.slicing import accessed
from scopec.progress.steps import (
    DONE,
    FIELDS,
    FOUND,
    IDLE,
    OWN_KINDS,
    Asleep,
    Either,
    Fork,
    Goto,
    Pending,
    Return,
    Step,
    Tree,
    Undefined,
    Visible,
    Wait,
    leaves,
)
from scopec.progress.system import WAITING_CALLS

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.progress.system import System

_MISSED = "what it reads changes, but it may look at the wrong moment each time"
_NEVER_RIGHT = "what it reads changes, but never so that it could go on"
_ROUND = "each time round, what it reads sends it round again"
SILENT = (
    "it goes on for ever without a volatile or atomic read, a barrier or I/O: that is undefined behaviour "
    "([intro.progress]), and nothing is promised to any thread"
)
#: The words for a wait in vain, by the use of the object.
NEVER = {
    ir.Use.BARRIER: "the phase of {} never ends",
    ir.Use.MBARRIER: "the phase of {} never ends",
    ir.Use.LATCH: "{} is never counted down to zero",
    ir.Use.SEMAPHORE: "{} never has anything left to take",
}
_NO_HOST = "the host promises no concurrent forward progress, so nothing is promised to its threads or the device's"


def origin(system: System, thread: ir.Thread) -> Span:
    """The start of a thread: its launch, or its first operation."""
    if thread.grid is not None:
        return system.program.grids[thread.grid].span
    return thread.body.nodes[thread.body.entry].span


def behind(system: System, around: Sequence[Moment], moves: Sequence[Move] = ()) -> list[Behind]:
    """For each thread that is not done in the states that repeat for ever: where it stays, and why nothing helps.

    ``moves`` are those that led there: they tell whose value a thread reads that never changes.
    """
    found = []
    for thread in system.everyone:
        label = around[-1].labels[thread.name]
        if label == IDLE and thread.name in system.created:
            continue
        if label == IDLE:
            found.append(not_started(system, thread, around[-1]))
        elif label != DONE:
            found.append(_Running(system, thread, around, moves).behind())
    return [b for b in found if b.standing is Standing.UNDEFINED] or found


def not_started(system: System, thread: ir.Thread, last: Moment) -> Behind:
    """The reason why a thread has not started, in a state that lasts for ever."""

    def blocked(why: str) -> Behind:
        return Behind(thread.name, NOT_STARTED, why, origin(system, thread), Standing.BLOCKED)

    def refused(why: str) -> Behind:
        return Behind(thread.name, NOT_STARTED, why, origin(system, thread), Standing.REFUSED)

    if not system.model.has_host:
        waits = [g for g in system.before.get(thread.grid or "", ()) if not _grid_done(system, g, last)]
        return blocked(f"{thread.grid} comes after {waits[0]}") if waits else refused(_by_model(system))
    if thread.grid is not None:
        if thread.grid not in last.issued:
            return blocked(f"{thread.grid} has not been launched")
        unfinished = [g for g in last.after[thread.grid] if not _grid_done(system, g, last)]
        if unfinished:
            return blocked(f"{thread.grid} comes after {unfinished[0]} in stream order")
        for before in system.prerequisites.get(thread.grid, ()):
            if silent := silent_block(system, before, last):
                return blocked(silent.format(lets=f"let {thread.grid} start"))
    if not system.readings.host_progress and thread.name not in {t.name for t in system.tasks}:
        return refused(_NO_HOST)
    running = _running(system, last)
    if (why := _no_place(system, thread, last)) is not None:
        return blocked(why)
    in_api = not system.hosts or any(last.labels[h.name] in system.api_labels for h in system.hosts)
    kept = ", and the pending API call is only owed some thread that runs" if running and in_api else ""
    if system.readings.environment:
        elsewhere = "a thread of another process may be the one that an API call ensures progress of"
        if not running:
            return refused(elsewhere)
        kept = f", and {elsewhere}"
    if thread in system.tasks:
        if running:
            return refused(f"nothing makes a stream get on with it while device threads run{kept}")
    elif system.unit_of[thread.name] in {system.unit_of[t.name] for t in system.threads if t.name in running}:
        return refused("nothing is promised to any thread")
    elif running:
        return refused(_unit_rule(system, thread, running) + kept)
    if in_api:
        return refused("the pending API call may return first")
    what = "execute it" if thread in system.tasks else "start a device thread"
    return refused(f"no CUDA API call is pending, and nothing else makes the implementation {what}")


def _no_place(system: System, thread: ir.Thread, last: Moment) -> str | None:
    """The assumption beside the document that keeps a thread from starting, in a state that lasts for ever."""

    def started(unit: str) -> bool:
        return any(system.unit_of[t.name] == unit and last.labels[t.name] != IDLE for t in system.threads)

    own = system.unit_of.get(thread.name)
    if own is None or started(own):
        return None
    if own in system.unit_before and not started(system.unit_before[own]):
        return f"{system.unit_before[own]} has not started, and blocks start in order"
    if system.places is not None:
        here = [t for t in system.threads if t.device == thread.device and started(system.unit_of[t.name])]
        resident = {t.block_name for t in here if last.labels[t.name] != DONE}
        if len(resident) + system.blocks_of[own] > system.places:
            return f"its device has no other places than those of {', '.join(sorted(resident))} (resident_blocks)"
    return None


def _unit_rule(system: System, thread: ir.Thread, running: list[str]) -> str:
    if thread.grid is not None and system.program.grids[thread.grid].cooperative:
        unit = "grid"
    elif thread.cluster is not None:
        unit = "cluster"
    else:
        several = len({t.block_name for t in system.threads}) > 1
        unit = "block" if several or thread.grid is None else "grid"
    rule = f"nothing makes the device start another {unit}: only a {unit} that has started is owed progress"
    return f"while {running[0]} runs, {rule}"


def _by_model(system: System) -> str:
    return f"`{system.model.name}` owes it nothing: {system.model.why}"


def _running(system: System, moment: Moment) -> list[str]:
    return [t.name for t in system.threads if moment.labels[t.name] not in (IDLE, DONE)]


def _grid_done(system: System, grid: str, moment: Moment) -> bool:
    threads = (*system.threads, *system.tasks)
    return all(moment.labels[t.name] == DONE for t in threads if t.grid == grid)


class _Running:
    """A thread that has started and does not end."""

    def __init__(self, system: System, thread: ir.Thread, around: Sequence[Moment], moves: Sequence[Move]) -> None:
        self.system = system
        self.thread = thread
        self.around = around
        self.moves = moves
        self.last = around[-1]
        labels = dict.fromkeys(m.labels[thread.name] for m in around)
        self.moving = len(labels) > 1
        #: The steps that it visits; both labels of a poll or a wait are one.
        self.steps = list(dict.fromkeys(self.own_step(label) for label in labels))
        self.step = self.own_step(self.last.labels[thread.name])

    def own_step(self, label: str) -> Step:
        """The step at a label, or the one of which a label is the second."""
        return own_step(self.system, label)

    def at(self, where: str, why: str, standing: Standing) -> Behind:
        """The place of the thread."""
        return Behind(self.thread.name, where, why, self.step.span, standing, self.waited_for(standing))

    def waited_for(self, standing: Standing) -> tuple[str, ...]:
        """The threads that could let this one go on."""
        match self.step.operation:
            case Wait(at) if not (isinstance(at, ir.NamedBarrier) and at.count is not None):
                return tuple(thread.name for thread in self.absent(at))
            case ir.JoinThread(thread) if standing is Standing.BLOCKED:
                return (thread,)
            case _ if standing is Standing.SPINNING or isinstance(self.step.operation, ir.Await | ir.BarrierWait):
                return waited_for(self.system, self.thread, self.step.operation, self.last, self.moves)
            case _:
                return ()

    @property
    def does(self) -> str:
        """The operation of the thread where it stays."""
        return describe(self.operation, self.system.program)

    @property
    def operation(self) -> Visible:
        """The operation of the thread where it stays, at the element that it accesses."""
        return located(self.step.operation, self.thread, self.last, self.system)

    def behind(self) -> Behind:
        """The reason why the thread does not get on."""
        if len(self.steps) > 1:
            return self.going_round()
        if isinstance(self.step.operation, Undefined):
            return self.at("is undefined", f"{self.does}, and the program promises nothing", Standing.UNDEFINED)
        if self.step.blocks or isinstance(self.step.operation, (*WAITING_CALLS, Pending)):
            waits = self.waiting()
            if self.moving or waits is not None or self.system.model.has_host:
                where = f"waits {self.place()}"
                return self.at(where, waits or "nothing is promised to any thread", Standing.BLOCKED)
        if isinstance(self.step.operation, (Return, ir.ApiCall)) and self.step.label in self.system.api_labels:
            return self.in_call()
        if self.moving or any(end.label == self.step.label for end in leaves(self.step.tree)):
            return self.going_round()
        if not self.system.model.has_host:
            return self.at(f"is before: {self.does}", _by_model(self.system), Standing.REFUSED)
        why = "nothing is promised to any thread" if self.system.readings.host_progress else _NO_HOST
        return self.at(f"is before: {self.does}", why, Standing.REFUSED)

    def in_call(self) -> Behind:
        """Inside a call that may return."""
        operation = self.step.operation
        function = operation.function if isinstance(operation, (Return, ir.ApiCall)) else ""
        where = f"is still in {call_in_words(function, self.system.program)}"
        if _running(self.system, self.last):
            return self.at(where, "the call may wait while device threads run", Standing.BLOCKED)
        why = "a thread of another process may be the one that the call ensures progress of"
        return self.at(where, why, Standing.REFUSED)

    def going_round(self) -> Behind:
        """Taking steps for ever."""
        lines = sorted(step.span.line for step in self.steps)
        where = f"line {lines[0]}" if lines[0] == lines[-1] else f"lines {lines[0]} to {lines[-1]}"
        where = f"goes round at {where}" if len(self.steps) > 1 else self.does
        where += ", again and again"
        if not any(step.counts for step in self.steps):
            return self.at(where, SILENT, Standing.SILENT)
        if len(self.steps) > 1:
            return self.at(where, _ROUND, Standing.SPINNING)
        if any(self.escapes(self.step, moment) for moment in self.around):
            return self.at(where, _MISSED, Standing.REFUSED)
        if self.sees_changes():
            return self.at(where, _NEVER_RIGHT, Standing.SPINNING)
        place = None if isinstance(self.operation, OWN_KINDS) else accessed(self.operation)
        read = "what it reads" if place is None else element(place, self.system.program)
        return self.at(
            where,
            f"{read} never changes{self.since}",
            Standing.SPINNING,
        )

    @property
    def since(self) -> str:
        """Whose value the thread reads, and who else could write it."""
        return since(self.system, self.thread, self.step.operation, self.last, self.moves)

    def sees_changes(self) -> bool:
        """Whether what the step reads has several values."""
        return len({str(self.found(self.step, moment)) for moment in self.around}) > 1

    # ---- what a thread waits for

    def place(self) -> str:
        """The place at which a thread waits."""
        match self.step.operation:
            case Wait(at):
                return f"at {shown_barrier(at)}"
            case Asleep(on, _):
                return f"on {show_place(on.place)} to be notified"
            case ir.JoinThread(thread):
                return f"for {thread} to end"
            case Pending(of):
                return f"in {shown_call(of)}"
            case ir.DeviceSynchronize() | ir.StreamSynchronize() | ir.EventSynchronize() as call:
                return f"in {shown_call(call)}"
            case ir.LaunchSynchronize() as call:
                return f"in {shown_call(call)}"
            case ir.WorkSynchronize(grid) | ir.AwaitGrid(grid):
                return f"for the end of {grid}"
            case ir.Await(place=place) | ir.BarrierWait(place=place):
                return f"on {show_place(place)}"
            case _:
                raise AssertionError(self.step)

    def waiting(self) -> str | None:
        """The thing that a thread waits for, or None if it waits for nothing any more."""
        match self.step.operation:
            case Wait(at):
                missing = self.missing(at)
                return ", ".join(missing) or None
            case Asleep(_, due):
                return "nobody notifies it" if due else "nobody writes it and notifies it"
            case ir.JoinThread(thread):
                return f"{thread} has not ended" if self.last.labels[thread] != DONE else None
            case Pending(call) | (
                ir.DeviceSynchronize()
                | ir.StreamSynchronize()
                | ir.EventSynchronize()
                | ir.WorkSynchronize()
                | ir.AwaitGrid() as call
            ):
                unfinished = [g for g in self.work(call) if not _grid_done(self.system, g, self.last)]
                has = "has" if len(unfinished) == 1 else "have"
                return f"{', '.join(unfinished)} {has} not completed" if unfinished else None
            case ir.LaunchSynchronize(_, grid, fires):
                silent = silent_block(self.system, ir.Awaited(grid, fires), self.last)
                return silent.format(lets="triggered the event of its launch") or None
            case ir.Await() | ir.BarrierWait():
                place = accessed(self.operation)
                assert place is not None
                escapes = any(self.escapes(self.step, m) for m in self.around)
                never = NEVER.get(self.system.program.objects[place.object].use, "{} never has the value it waits for")
                name = element(place, self.system.program)
                return None if escapes and not self.moving else f"{never.format(name)}{self.since}"
            case _:
                return None

    def work(self, call: ir.Operation) -> tuple[str, ...]:
        """The grids that a call may wait for."""
        if isinstance(call, (ir.WorkSynchronize, ir.AwaitGrid)):
            return (call.grid,)
        if isinstance(call, ir.EventSynchronize):
            return self.last.events.get(call.event, ())
        streams, grids = self.system.waited(call), self.system.program.grids
        return tuple(g for g in self.last.issued if grids[g].stream.name in streams)

    def missing(self, at: ir.SyncThreads | ir.GroupSync | ir.NamedBarrier) -> list[str]:
        """The threads that hold up a barrier, and how."""
        if isinstance(at, ir.NamedBarrier) and at.count is not None:
            who = "warps" if at.warps else "arrivals"
            return [f"{values.show(at.count)} {who} end its phase, and so many have not come"]
        said = {True: "has exited and not arrived", False: "has not arrived"}
        return [f"{other.name} {said[self.last.labels[other.name] == DONE]}" for other in self.absent(at)]

    def absent(self, at: ir.SyncThreads | ir.GroupSync | ir.NamedBarrier) -> list[ir.Thread]:
        """The threads that a barrier waits for."""
        exited = not isinstance(at, ir.NamedBarrier) and self.system.exited_hold(barrier_of(self.thread, at).group)
        found = []
        for other in self.system.threads:
            label = self.last.labels[other.name]
            away = other.name != self.thread.name and self.joins(other, at) and not self.waits_too(label, at)
            if away and (label != DONE or exited):
                found.append(other)
        return found

    def joins(self, other: ir.Thread, at: ir.SyncThreads | ir.GroupSync | ir.NamedBarrier) -> bool:
        """Whether another thread meets this one at a barrier."""
        if isinstance(at, ir.NamedBarrier):
            uses = {self.system.steps[label].operation for label in self.system.machine_of(other).steps}
            same = any(isinstance(op, ir.NamedBarrier) and op.name == at.name for op in uses)
            return same and other.block_name == self.thread.block_name
        return barrier_of(self.thread, at).joins(other)

    def waits_too(self, label: str, at: ir.SyncThreads | ir.GroupSync | ir.NamedBarrier) -> bool:
        """Whether a thread at a label waits at the same barrier."""
        if label not in self.system.steps:
            return False
        match self.own_step(label).operation, at:
            case Wait(ir.SyncThreads()), ir.SyncThreads():
                return True
            case Wait(ir.NamedBarrier(name)), ir.NamedBarrier(own):
                return name == own
            case Wait(ir.GroupSync() as theirs), ir.GroupSync():
                return replace(theirs, at=at.at) == at
            case _:
                return False

    # ---- whether a poll could succeed

    def escapes(self, step: Step, moment: Moment) -> bool:
        """Whether a step would lead to another label, or stop blocking, in a state."""
        if isinstance(step.operation, OWN_KINDS):
            return False
        found = self.state(step, moment)

        def leaf(value: Reg | Builtin) -> int:
            if isinstance(value, Builtin):
                return (self.thread.builtins or {})[value.name]
            if value.name in FOUND:
                kept = found[FIELDS[value.name]] if isinstance(found, dict) else found
                assert isinstance(kept, int)
                return kept
            return int(str(moment.registers.get(self.thread.name, {}).get(value.name, 0)))

        def ends(tree: Tree) -> str:
            match tree:
                case Goto(label):
                    return label
                case Either(first, _):
                    return ends(first)
                case Fork(condition, then, otherwise):
                    return ends(then if values.evaluate(condition, leaf) else otherwise)

        try:
            if step.guard is not None:
                return bool(values.evaluate(step.guard, leaf))
            return ends(step.tree) not in step.labels
        except (types.ArithmeticFault, AssertionError):
            return False

    def found(self, step: Step, moment: Moment) -> int | None:
        """The value that a step's operation finds in memory, in a state, of a barrier its phase; None if not known."""
        value = self.state(step, moment)
        if isinstance(value, dict):
            value = value["phase"]
        return value if isinstance(value, int) else None

    def state(self, step: Step, moment: Moment) -> object:
        """The value that a step's operation finds in memory, in a state, of a barrier all of it; None if not known."""
        found = reached(step.operation, self.thread, moment, self.system)
        return None if found is None else found[1]
