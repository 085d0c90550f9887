"""A program as the progress question sees it: machines, threads, units, and what the implementation owes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from scopec.diagnostics import Code, error
from scopec.memory.asw import waits_for
from scopec.memory.events import identifier
from scopec.program import ir
from scopec.program.specialise import device_thread
from scopec.progress.steps import Again, Machine, Return, Step, Tick, Visible, Wait, machine


@dataclass(frozen=True)
class System:
    """Machines by grid (the host's under ``main``), and the threads that run them.

    ``unit_of`` gives for each device thread what it starts with: its block (a thread-block cluster of one block).
    """

    program: ir.Program
    host: Machine
    grids: Mapping[str, Machine]
    split_polls: bool

    @cached_property
    def threads(self) -> tuple[ir.Thread, ...]:
        """The device threads that do something, and for each grid one that stands for its blocks that do nothing.

        A grid completes only when all of its threads have started and ended.  Threads that do nothing beside others in
        a block are owed their start with these; a block of which no thread does anything is not, and one such block
        stands for all: as long as an API call is pending each is started in turn, and otherwise none need be.
        """
        found = [t for t in self.program.threads if not t.is_host]
        for grid in self.program.grids.values():
            busy = {t.block for t in found if t.grid == grid.name}
            empty = next((b for b in range(grid.blocks.count) if b not in busy), None)
            if empty is not None:
                found.append(device_thread(grid, empty, 0))
        return tuple(found)

    @property
    def everyone(self) -> tuple[ir.Thread, ...]:
        """The host thread and the device threads."""
        return (self.program.host, *self.threads)

    @property
    def unit_of(self) -> Mapping[str, str]:
        """The unit of each device thread: its thread-block cluster ("Device threads"), here always one block."""
        return {t.name: t.block_name for t in self.threads}

    def machine_of(self, thread: ir.Thread) -> Machine:
        """The machine that a thread runs."""
        return self.host if thread.grid is None else self.grids[thread.grid]

    @cached_property
    def steps(self) -> Mapping[str, Step]:
        """Every step by its label."""
        return {label: step for m in (self.host, *self.grids.values()) for label, step in m.steps.items()}

    @cached_property
    def api_labels(self) -> tuple[str, ...]:
        """The labels at which a CUDA API call is pending."""
        pending = (Return, ir.DeviceSynchronize, ir.ApiCall)
        return tuple(label for label, s in self.host.steps.items() if isinstance(s.operation, pending))

    @cached_property
    def not_ready_labels(self) -> tuple[str, ...]:
        """The labels at which a query is about to return cudaErrorNotReady."""
        return tuple(
            label
            for label, s in self.host.steps.items()
            if isinstance(s.operation, Return) and s.operation.ready is False
        )

    @cached_property
    def silent_labels(self) -> tuple[str, ...]:
        """The labels whose step does not count for [intro.progress.1] as modified."""
        return tuple(label for label, step in self.steps.items() if not step.counts and not self._pends(label))

    def _pends(self, label: str) -> bool:
        """Whether a thread at a label is inside something that counts: the second label of a poll or a wait."""
        operation = self.steps[label].operation
        return isinstance(operation, Again) and self.steps[label.removesuffix("_again")].counts

    def ordered(self, first: str, second: str) -> bool:
        """Whether the grid ``second`` starts only after ``first``, if that was launched before it."""
        grids = self.program.grids
        return waits_for(grids[second].stream, grids[first].stream)


def build(
    program: ir.Program, observed: Callable[[str], frozenset[str]] | None = None, *, split_polls: bool = False
) -> System:
    """The system of a program; ``observed(thread)`` are registers whose final values are asked for."""
    watch = observed or (lambda _thread: frozenset())
    check_modelled(program)

    def made(name: str, body: ir.Body, host: bool) -> Machine:
        threads = [t.name for t in program.threads if (t.grid or "main") == name]
        names = frozenset[str]().union(*(watch(t) for t in threads))
        return machine(identifier(name), body, lambda op: counts(op, program, host), names, split_polls=split_polls)

    grids = {name: made(name, grid.body, False) for name, grid in program.grids.items()}
    return System(program, made("main", program.host.body, True), grids, split_polls)


#: What the memory question models and this one does not yet.
_NOT_YET = (
    ir.Await, ir.Notify, ir.Decide, ir.GroupSync, ir.CreateThread, ir.JoinThread, ir.StreamSynchronize, ir.EventRecord,
    ir.EventWait, ir.EventSynchronize, ir.EventQuery, ir.NamedBarrier,
)  # fmt: skip


def check_modelled(program: ir.Program) -> None:
    """InputError for what the progress question does not model."""
    for thread in (program.host, *program.others):
        _check_body(thread.body)
        if not thread.is_host:
            at = thread.body.nodes[thread.body.entry].span
            raise error(Code.OUTSIDE_SUBSET, "the progress question does not model litmus files yet", at, _ASK_MEMORY)
    for grid in program.grids.values():
        _check_body(grid.body)
        if grid.work is not ir.Work.KERNEL or grid.cooperative or grid.cluster is not None:
            what = f"a {grid.work.value}" if grid.work is not ir.Work.KERNEL else "a cluster or cooperative launch"
            raise error(Code.OUTSIDE_SUBSET, f"the progress question does not model {what} yet", grid.span, _ASK_MEMORY)


def _check_body(body: ir.Body) -> None:
    for node in body.nodes.values():
        if isinstance(node, ir.Do):
            operation = node.operation
            if isinstance(operation, _NOT_YET) or (
                isinstance(operation, ir.SyncThreads) and operation.vote is not None
            ):
                message = "the progress question does not model this yet"
                raise error(Code.OUTSIDE_SUBSET, message, node.span, _ASK_MEMORY)


_ASK_MEMORY = "ask the memory question alone: write an `expect` of race_free, race or an outcome"


def counts(operation: Visible, program: ir.Program, host: bool) -> bool:
    """Whether an operation is one that [intro.progress.1], as modified, assumes a thread will eventually perform.

    Host threads: "terminate", "invoke this_thread::yield", "make a call to a library I/O function", "perform an access
    through a volatile glvalue", "perform a synchronization operation or an atomic operation", "continue execution of a
    trivial infinite loop".  Device threads: "terminate", "make a call to a library I/O function", "perform an access
    through a volatile glvalue except if the designated object has automatic storage duration", "perform a
    synchronization operation or an atomic read operation except if the designated object has automatic storage
    duration"; by the note there, atomic writes and fences are not meant.
    """
    match operation:
        case ir.Load(_, place, mode):
            return _access_counts(program.objects[place.object], mode, host, reads=True)
        case ir.Store(place, _, mode):
            return _access_counts(program.objects[place.object], mode, host, reads=False)
        case ir.Rmw(_, place, _, mode):
            return _access_counts(program.objects[place.object], mode, host, reads=True)
        case ir.CompareExchange(place=place, mode=mode) | ir.Await(place=place, mode=mode):
            return _access_counts(program.objects[place.object], mode, host, reads=True)
        case ir.Notify(place, _):
            return host or program.objects[place.object].storage is not ir.Storage.AUTOMATIC
        case ir.Fence() | ir.Yield():
            return host
        case Tick(trivial):
            return host and trivial
        case ir.Set() | ir.Assert() | ir.Decide() | Again():
            return False
        case (
            ir.SyncThreads()
            | ir.GroupSync()
            | ir.NamedBarrier()
            | Wait()
            | ir.InputOutput()
            | ir.CreateThread()
            | ir.JoinThread()
            | ir.LaunchGrid()
            | ir.ApiCall()
            | ir.DeviceSynchronize()
            | ir.StreamQuery()
            | ir.StreamSynchronize()
            | ir.EventRecord()
            | ir.EventWait()
            | ir.EventSynchronize()
            | ir.EventQuery()
            | Return()
        ):
            return True


def _access_counts(object_: ir.Object, mode: ir.Mode, host: bool, *, reads: bool) -> bool:
    if host:
        return mode.atomic or mode.volatile
    if object_.storage is ir.Storage.AUTOMATIC:
        return False
    return mode.volatile or (mode.atomic and reads)
