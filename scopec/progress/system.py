"""A program as the progress question sees it: machines, threads, units, and what the implementation owes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from scopec.diagnostics import Code, InputError, error
from scopec.memory.asw import waits_for
from scopec.memory.events import identifier
from scopec.program import ir
from scopec.program.specialise import device_thread
from scopec.progress.influence import accessed, deciding_objects
from scopec.progress.models import CUDA, Model
from scopec.progress.reductions import Reductions, without_assertions
from scopec.progress.stepper import machine
from scopec.progress.steps import Again, Goto, Machine, Return, Step, Tick, Visible, Wait


@dataclass(frozen=True)
class System:
    """Machines by grid, or by thread for a thread without a grid; and the threads that run them.

    ``hosts`` are the host threads, which run from the start; a progress model without a host has none.  ``threads`` are
    device threads; where there is no host, a litmus file's threads are, whatever runs them.  ``before`` gives for each
    grid those that it waits for, where no host issues them.
    """

    program: ir.Program
    model: Model
    reductions: Reductions
    machines: Mapping[str, Machine]
    hosts: tuple[ir.Thread, ...]
    threads: tuple[ir.Thread, ...]
    before: Mapping[str, tuple[str, ...]]

    @property
    def everyone(self) -> tuple[ir.Thread, ...]:
        """The host threads and the device threads."""
        return (*self.hosts, *self.threads)

    @property
    def grids(self) -> tuple[str, ...]:
        """The grids, in launch order."""
        return tuple(self.program.grids)

    @property
    def unit_of(self) -> Mapping[str, str]:
        """The unit of each device thread: its thread-block cluster ("Device threads"), a block alone where none is."""
        return {t.name: t.cluster_name for t in self.threads}

    def machine_of(self, thread: ir.Thread) -> Machine:
        """The machine that a thread runs."""
        return self.machines[thread.grid or thread.name]

    def begin(self, thread: ir.Thread) -> Goto:
        """Where a thread begins, with which constants in its registers."""
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
    def late_entries(self) -> tuple[str, ...]:
        """The labels at which a device thread begins without taking its first step: it has none, or it may block."""
        found = dict.fromkeys(self.begin(t).label for t in self.threads)
        return tuple(
            label
            for label in found
            if label not in self.steps or not self.reductions.start or isinstance(self.steps[label].operation, Wait)
        )

    @cached_property
    def api_labels(self) -> tuple[str, ...]:
        """The labels at which a CUDA API call is pending."""
        pending = (Return, ir.DeviceSynchronize, ir.ApiCall)
        return tuple(s.label for s in self.host_steps if isinstance(s.operation, pending))

    @cached_property
    def not_ready_labels(self) -> tuple[str, ...]:
        """The labels at which a query is about to return cudaErrorNotReady."""
        return tuple(s.label for s in self.host_steps if isinstance(s.operation, Return) and s.operation.ready is False)

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


def build(program: ir.Program, model: Model = CUDA, reductions: Reductions | None = None) -> System:
    """The system of a program under a progress model.

    InputError where the model has no host and the program's host does more than launch and synchronize.
    """
    check_modelled(program)
    reductions = reductions or Reductions()
    hosts, threads = _threads(program, model)
    bodies = {t.name: without_assertions(t.body) for t in (*hosts, *threads) if t.grid is None}
    bodies |= {name: without_assertions(grid.body) for name, grid in program.grids.items()}
    deciding = deciding_objects(bodies.values()) if reductions.objects else frozenset(program.objects)
    on_host = {t.name for t in (*hosts, *threads) if t.is_host}
    uses = {name: set(_accessed(body)) for name, body in bodies.items()}

    def made(name: str, body: ir.Body) -> Machine:
        elsewhere = set[str]().union(*(found for other, found in uses.items() if other != name))
        own = {n: program.objects[n] for n in uses[name] - elsewhere}
        return machine(
            identifier(name), body, own, deciding, lambda op: counts(op, program, name in on_host), reductions
        )

    machines = {name: made(name, body) for name, body in bodies.items()}
    before = {} if model.has_host else dict(_dependencies(program, model))
    return System(program, model, reductions, machines, hosts, threads, before)


def _threads(program: ir.Program, model: Model) -> tuple[tuple[ir.Thread, ...], tuple[ir.Thread, ...]]:
    """Host threads and device threads that take part.

    Device threads that do nothing but start and end are left out, except that under the CUDA execution model one in
    each grid stands for its blocks that do nothing.  A grid completes only when all of its threads have started and
    ended; those that do nothing beside others in a block are owed their start with these.  A block of which no thread
    does anything is not, and one such block stands for all: as long as an API call is pending each is started in turn,
    and otherwise none need be.  Under the other models a thread that does nothing but end never keeps another from
    being owed a step: where some thread must step, the implementation may choose one that does something.
    """
    main = program.host.body
    idle = not program.grids and program.others and isinstance(main.nodes[main.entry], ir.Exit)
    outside = (*(() if idle else (program.host,)), *program.others)
    found = [t for t in program.threads if t.grid is not None]
    if not model.has_host:
        return (), (*program.others, *found)
    for grid in program.grids.values():
        busy = {t.block for t in found if t.grid == grid.name}
        empty = next((b for b in range(grid.blocks.count) if b not in busy), None)
        if empty is not None:
            found.append(device_thread(grid, empty, 0))
    return tuple(t for t in outside if t.is_host), (*(t for t in outside if not t.is_host), *found)


def _accessed(body: ir.Body) -> Iterator[str]:
    for node in body.nodes.values():
        if isinstance(node, ir.Do) and (place := accessed(node.operation)) is not None:
            yield place.object


def _dependencies(program: ir.Program, model: Model) -> Iterator[tuple[str, tuple[str, ...]]]:
    """For each grid those that the host and the streams make it wait for, where the host only launches and waits."""
    launched: list[str] = []
    completed: set[str] = set()
    number = program.host.body.entry
    seen: set[int] = set()
    while not isinstance(node := program.host.body.nodes[number], ir.Exit):
        again, seen = number in seen, seen | {number}
        match node:
            case _ if again:
                raise _host_error(node, model)
            case ir.Do(ir.LaunchGrid(grid), _, _):
                stream = program.grids[grid].stream
                waits = {g for g in launched if g in completed or waits_for(stream, program.grids[g].stream)}
                yield grid, tuple(g for g in launched if g in waits)
                launched.append(grid)
            case ir.Do(ir.DeviceSynchronize(device), _, _):
                completed |= {g for g in launched if program.grids[g].device == device}
            case ir.Do(ir.ApiCall() | ir.Set(), _, _):
                pass
            case _:
                raise _host_error(node, model)
        assert isinstance(node, ir.Do)
        number = node.next


def _host_error(node: ir.Node, model: Model) -> InputError:
    message = f"the progress model `{model.name}` is about device threads alone"
    help_ = "have the host only launch kernels and call cudaDeviceSynchronize, or use `cuda`"
    return error(Code.NO_HOST, message, node.span, help_)


#: What the memory question models and this one does not yet.
_NOT_YET = (
    ir.Await, ir.Notify, ir.Decide, ir.GroupSync, ir.CreateThread, ir.JoinThread, ir.StreamSynchronize, ir.EventRecord,
    ir.EventWait, ir.EventSynchronize, ir.EventQuery, ir.NamedBarrier,
)  # fmt: skip


def check_modelled(program: ir.Program) -> None:
    """InputError for what the progress question does not model."""
    for thread in (program.host, *program.others):
        _check_body(thread.body)
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
