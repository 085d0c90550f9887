"""A program as the progress question sees it: machines, threads, units, and the labels that promises are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise

from scopec.base.graphs import components
from scopec.base.records import dataclass
from scopec.program import ir
from scopec.program.program import Program
from scopec.program.specialise import cluster_index
from scopec.program.streams import acts, overlapping, prerequisites, queued, waits_for
from scopec.progress.models import Model
from scopec.progress.reductions import Reductions
from scopec.progress.steps import Goto, Machine, Pending, Return, Role, Step, Undefined, leaves

#: Calls that issue work to a stream.
ISSUING_CALLS = (ir.LaunchGrid, ir.EventRecord, ir.EventWait)
#: Calls that return when work has completed; every other API call may return at any time.
WAITING_CALLS = (
    ir.DeviceSynchronize,
    ir.StreamSynchronize,
    ir.EventSynchronize,
    ir.WorkSynchronize,
    ir.LaunchSynchronize,
)
#: Calls that ask whether work has completed.
QUERIES = (ir.StreamQuery, ir.EventQuery, ir.LaunchQuery)


@dataclass(frozen=True)
class Readings:
    """The readings of the execution model where it leaves something open (options of the same names).

    ``resident_blocks`` is how many blocks a device has places for, None for any number.
    """

    api_blocks: bool = True
    exited_threads_hold: bool = False
    environment: bool = False
    host_progress: bool = True
    resident_blocks: int | None = None


def readings(options: Mapping[str, str], given: Mapping[str, str]) -> Readings:
    """The readings that options choose, on a machine of which attributes are given."""
    places = given.get("resident_blocks", "")
    return Readings(
        options["api"] == "blocks",
        options["exited_threads"] == "hold",
        options["environment"] == "on",
        options["host_progress"] == "concurrent",
        int(places) if places.isdecimal() else None,
    )


def may_pend(operation: ir.Operation, readings_: Readings) -> bool:
    """Whether a host thread may stay in a call while device threads run (reading 2 of the execution model)."""
    others = (*ISSUING_CALLS, *QUERIES, ir.ApiCall) if readings_.api_blocks else ()
    return isinstance(operation, (*WAITING_CALLS, *others))


@dataclass(frozen=True)
class System:
    """Machines by grid, or by thread for a thread without a grid; and the threads that run them.

    ``hosts`` are the host threads; a progress model without a host has none.  ``threads`` are device threads; where
    there is no host, a litmus file's threads are, whatever runs them.  ``tasks`` are the threads that stand for what a
    stream executes without a device thread: copies, and functions on the host.  ``before`` gives for each grid those
    that it waits for, where no host issues them.  ``snapshots`` says whether work may be issued while a call waits for
    work, so that what it waits for has to be noted.  ``settled`` are objects of which no two accesses that conflict are
    ever enabled together, whatever is read.
    """

    program: Program
    model: Model
    readings: Readings
    reductions: Reductions
    machines: Mapping[str, Machine]
    hosts: tuple[ir.Thread, ...]
    threads: tuple[ir.Thread, ...]
    tasks: tuple[ir.Thread, ...]
    before: Mapping[str, tuple[str, ...]]
    snapshots: bool
    settled: frozenset[str] = frozenset()

    @property
    def everyone(self) -> tuple[ir.Thread, ...]:
        """The host threads, the device threads, and the tasks."""
        return (*self.hosts, *self.threads, *self.tasks)

    @property
    def grids(self) -> tuple[str, ...]:
        """The grids, in launch order."""
        return tuple(self.program.grids)

    @cached_property
    def unit_of(self) -> Mapping[str, str]:
        """The unit of each device thread ("Device threads"): its cooperative grid, or else its thread-block cluster.

        A block of a launch without clusters is a cluster by itself.  Of other models blocks are the units, as those of
        the paper's are workgroups; in a litmus file each thread is one by itself.
        """
        if self.model.has_host:
            return {t.name: unit(self.program, t) for t in self.threads}
        return {t.name: t.name if t.grid is None else t.block_name for t in self.threads}

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        """The number of each device thread's unit, from 0, as written."""
        numbers = {own: n for n, own in enumerate(dict.fromkeys(self.unit_of.values()))}
        return {name: numbers[own] for name, own in self.unit_of.items()}

    @cached_property
    def blocks_of(self) -> Mapping[str, int]:
        """The number of blocks of each unit, those included of which no thread takes part."""
        found: dict[str, int] = {}
        for thread in self.threads:
            own = self.unit_of[thread.name]
            if thread.grid is not None:
                found[own] = unit_blocks(self.program.grids[thread.grid])
            else:
                found[own] = len({t.block_name for t in self.threads if self.unit_of[t.name] == own})
        return found

    @cached_property
    def unit_before(self) -> Mapping[str, str]:
        """The unit of its grid that starts before a unit, where the model has units start in the order of indices."""
        units: dict[str | None, dict[str, None]] = {}

        def index(thread: ir.Thread) -> int:
            if thread.grid is None:
                return 0
            grid = self.program.grids[thread.grid]
            return cluster_index(grid.blocks, grid.cluster, thread.block)

        for thread in sorted(self.threads, key=index) if self.model.in_order else ():
            units.setdefault(thread.grid, {})[self.unit_of[thread.name]] = None
        return {after: before for found in units.values() for before, after in pairwise(found)}

    @cached_property
    def places(self) -> int | None:
        """The number of blocks that are resident on a device at most; None if there are no more."""
        limit, blocks = self.readings.resident_blocks, Counter[int]()
        for own, device in {self.unit_of[t.name]: t.device for t in self.threads}.items():
            blocks[device] += self.blocks_of[own]
        return limit if limit is not None and max(blocks.values(), default=0) > limit else None

    @property
    def places_of_devices(self) -> bool:
        """Whether several devices have so many places each."""
        return self.places is not None and len({t.device for t in self.threads}) > 1

    @property
    def fills_places(self) -> bool:
        """Whether a block that may start, and has a place, is started."""
        return self.model.resident or self.readings.resident_blocks is not None

    def exited_hold(self, group: ir.Group | None) -> bool:
        """Whether threads that have exited hold up a barrier of a group, or, of None, of a block.

        "For .aligned and .sync, all non-exited threads" (PTX ISA): a block, a warp and a cluster wait for those that
        have not exited.  A grid is one software barrier of its blocks, and waits for every thread.
        """
        return self.readings.exited_threads_hold if group is None else group is ir.Group.GRID

    def machine_of(self, thread: ir.Thread) -> Machine:
        """The machine that a thread runs."""
        return self.machines[thread.grid or thread.name]

    def begin(self, thread: ir.Thread) -> Goto:
        """The first label of a thread, and the constants in its registers."""
        return self.machine_of(thread).begin(thread.builtins or {})

    @cached_property
    def steps(self) -> Mapping[str, Step]:
        """Every step by its label."""
        return {label: step for m in self.machines.values() for label, step in m.steps.items()}

    @cached_property
    def host_steps(self) -> tuple[Step, ...]:
        """The steps of host threads."""
        return tuple(step for t in self.hosts for step in self.machine_of(t).steps.values())

    @cached_property
    def issues(self) -> bool:
        """Whether the host issues grids, in an order that is part of the state."""
        return bool(self.grids) and self.model.has_host

    @cached_property
    def events(self) -> tuple[str, ...]:
        """The events that order work, so that what a grid comes after is part of the state."""
        operations = [s.operation for s in self.host_steps]
        found = [op.event for op in operations if isinstance(op, (ir.EventRecord, ir.EventWait))]
        launches = [one.event for grid in self.program.grids.values() for one in grid.events] if self.lets else []
        return tuple(dict.fromkeys((*found, *launches)))

    def acts(self, waited: str, stream: str) -> bool:
        """Whether a wait for an event may be an action by which a stream waits for others, if there are any.

        An event that is recorded somewhere is taken to be recorded before.
        """
        own = self.streams[stream]
        operations = [s.operation for s in self.host_steps]
        records = {op.stream for op in operations if isinstance(op, ir.EventRecord) and op.event == waited}
        used = {op.stream for op in operations if isinstance(op, (ir.EventRecord, ir.EventWait))}
        used |= {grid.stream.name for grid in self.program.grids.values()}
        others = [self.streams[name] for name in used if name != stream and waits_for(own, self.streams[name])]
        return not others or any(acts(own, self.streams[name]) for name in records)

    def instances_of(self, name: str) -> str:
        """The table that gives the instance of an object that a thread accesses; empty where there is only one.

        What cudaMalloc gives is one object, whatever its device.
        """
        object_ = self.program.objects[name]
        if object_.storage is ir.Storage.SHARED and object_.device is None:
            return "BlockOf"
        several = object_.storage is ir.Storage.DEVICE and object_.device is None
        return "DeviceOf" if several and any(t.device for t in self.everyone) else ""

    @cached_property
    def created(self) -> frozenset[str]:
        """The host threads that another one creates."""
        operations = [s.operation for s in self.host_steps]
        return frozenset(op.thread for op in operations if isinstance(op, ir.CreateThread))

    @cached_property
    def late_entries(self) -> tuple[str, ...]:
        """The labels at which a thread begins without taking its first step: it has none, or it may block."""
        found = dict.fromkeys(self.begin(t).label for t in (*self.threads, *self.tasks))
        merged = self.reductions.start and not self.unit_before and not self.begins_seen
        return tuple(label for label in found if label not in self.steps or not merged or self.steps[label].blocks)

    @property
    def number(self) -> int:
        """The number of steps, the start of a thread included where it is one."""
        return len(self.steps) + len(self.late_entries)

    @cached_property
    def api_labels(self) -> tuple[str, ...]:
        """The labels at which a CUDA API call is pending, and may wait for device threads."""
        waits = (Pending, ir.WorkSynchronize, ir.LaunchSynchronize) if self.snapshots else WAITING_CALLS
        pending = (*waits, Return, ir.ApiCall) if self.readings.api_blocks else waits
        return tuple(s.label for s in self.host_steps if isinstance(s.operation, pending))

    @cached_property
    def not_ready_labels(self) -> tuple[str, ...]:
        """The labels at which a query is about to return cudaErrorNotReady."""
        return tuple(s.label for s in self.host_steps if isinstance(s.operation, Return) and s.operation.ready is False)

    @cached_property
    def silent_labels(self) -> tuple[str, ...]:
        """The labels whose step does not count for [intro.progress.1] as modified."""
        undefined = set(self.undefined_labels)
        silent = (label for label, step in self.steps.items() if not step.counts and not self._pends(label))
        return tuple(label for label in silent if label not in undefined)

    @cached_property
    def undefined_labels(self) -> tuple[str, ...]:
        """The labels of threads whose next step is undefined."""
        return tuple(label for label, step in self.steps.items() if isinstance(step.operation, Undefined))

    @cached_property
    def silent_cycles(self) -> frozenset[str]:
        """The silent labels that lie on a cycle of such: where a thread can be silent for ever."""
        silent = set(self.silent_labels)
        after = {
            label: [end.label for end in leaves(self.steps[label].tree) if end.label in silent] for label in silent
        }
        groups = components(sorted(silent), lambda label: after[label])
        return frozenset(label for group in groups for label in group if len(group) > 1 or label in after[label])

    def _pends(self, label: str) -> bool:
        """Whether a thread at a label is inside something that counts: the second label of a poll or a wait."""
        step = self.steps[label]
        return step.role is Role.AGAIN and self.steps[step.of].counts

    def stopped_by(self, step: Step) -> tuple[tuple[ir.Thread, ...], tuple[ir.Thread, ...]]:
        """The threads that a step ends, and those that it ends where they have not begun.

        "The host function will not be called in the event of an error in the CUDA context" (CUDA runtime API,
        cudaLaunchHostFunc).
        """
        if isinstance(step.operation, ir.EndProcess):
            return self.hosts, ()
        assert isinstance(step.operation, ir.Trap)
        device = next(t.device for t in self.threads if step.machine in (t.grid, t.name))
        inside = [t for t in (*self.threads, *self.tasks) if t.device == device]
        functions = tuple(t for t in inside if t.work is ir.Work.HOST_FUNCTION)
        return tuple(t for t in inside if t not in functions), functions

    @cached_property
    def streams(self) -> Mapping[str, ir.Stream]:
        """The streams of the program, by name."""
        program = self.program
        return {s.name: s for s in (*program.streams, *(g.stream for g in program.grids.values()))}

    def waited(self, call: ir.Operation) -> tuple[str, ...]:
        """The streams whose work a call waits for or asks about; none for a call about an event.

        "Completion of the last task queued to a stream, if any, synchronizes with return from cudaStreamSynchronize".

        "Synchronizing a CUDA device or context behaves as if synchronizing all streams in the context" (PTX ISA,
        8.9.4).
        """
        match call:
            case ir.DeviceSynchronize(device):
                return tuple(name for name, s in self.streams.items() if s.device == device)
            case ir.StreamSynchronize(stream) | ir.StreamQuery(_, stream):
                return (stream,)
            case _:
                return ()

    @cached_property
    def overlapping(self) -> frozenset[tuple[str, str]]:
        """The pairs of grids of which the first need not be complete when the second, a dependent one, starts."""
        pairs = overlapping(queued(self.program))
        return frozenset((first, second) for first, second in pairs if self.program.grids[second].dependent)

    @cached_property
    def prerequisites(self) -> Mapping[str, tuple[ir.Awaited, ...]]:
        """For each grid that may start before others are complete those, and what of them has to come before."""
        work = queued(self.program)
        found = {name: prerequisites(work, name) for name in work}
        needed = {name: [one for one in its if one.fires is not ir.Fires.LAUNCHED] for name, its in found.items()}
        return {name: tuple(its) for name, its in needed.items() if its}

    @cached_property
    def lets(self) -> Mapping[str, tuple[str, ...]]:
        """For each grid behind a wait for the event of a launch those after whose prerequisites it comes, too."""
        grids = self.program.grids.values()
        awaits = {g.name: [a.grid for a in g.awaits if a.fires is not ir.Fires.LAUNCHED] for g in grids}
        return {name: tuple(its) for name, its in awaits.items() if its}

    @cached_property
    def _awaited(self) -> frozenset[ir.Fires]:
        """What grids and calls of the host wait for of grids before their ends."""
        calls = (s.operation for s in self.host_steps)
        asked = {op.fires for op in calls if isinstance(op, ir.LaunchSynchronize | ir.LaunchQuery)}
        return frozenset(asked.union(*({one.fires for one in its} for its in self.prerequisites.values())))

    @property
    def triggers_seen(self) -> bool:
        """Whether it is part of the state which blocks have let dependent grids start."""
        return ir.Fires.TRIGGERED in self._awaited

    @property
    def begins_seen(self) -> bool:
        """Whether somebody waits for blocks to begin, so that a start is more than what comes behind it."""
        return ir.Fires.BEGUN in self._awaited

    def ordered(self, first: str, second: str) -> bool:
        """Whether the grid ``second`` starts only after ``first``, if that was launched before it."""
        grids = self.program.grids
        return (first, second) not in self.overlapping and waits_for(grids[second].stream, grids[first].stream)


def unit_blocks(grid: ir.Grid) -> int:
    """The number of blocks of a unit of a grid."""
    if grid.cooperative:
        return grid.blocks.count
    return 1 if grid.cluster is None else grid.cluster.count


def unit(program: Program, thread: ir.Thread) -> str:
    """The unit with which a device thread is owed progress."""
    if thread.grid is not None and program.grids[thread.grid].cooperative:
        return thread.grid
    return thread.cluster_name
