"""From a program to its system under a progress model: who takes part, and what the passes make of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from scopec.base import passes
from scopec.base.diagnostics import Code, InputError, error
from scopec.program import ir
from scopec.program.program import Program
from scopec.program.specialise import device_thread
from scopec.program.streams import waits_for
from scopec.program.truths import without_truths
from scopec.progress.models import CUDA, Model
from scopec.progress.passes import PASSES, Making, Threads
from scopec.progress.reductions import Reductions, on_cycles
from scopec.progress.system import ISSUING_CALLS, QUERIES, WAITING_CALLS, Readings, System, unit

if TYPE_CHECKING:
    from scopec.base.passes import Passed
    from scopec.base.source import Span


def build(
    program: Program,
    model: Model = CUDA,
    reductions: Reductions | None = None,
    readings: Readings | None = None,
    observed: Mapping[str, frozenset[str]] | None = None,
) -> System:
    """The system of a program under a progress model, as :func:`beginning` has it."""
    return made(beginning(program, model, reductions, readings, observed))


def beginning(
    program: Program,
    model: Model = CUDA,
    reductions: Reductions | None = None,
    readings: Readings | None = None,
    observed: Mapping[str, frozenset[str]] | None = None,
) -> Making:
    """The stage before any pass of the system of a program under a progress model.

    Where final states are asked for, ``observed`` are the registers that are read at the end, by grid or host thread;
    assertions are steps then, and those that fail end in a label of their own.
    InputError for what the question does not model, and where the model has no host and the program's host does more
    than launch and synchronize.
    """
    check_modelled(program)
    if not model.has_host:
        program = without_truths(program)
    reductions, readings = reductions or Reductions(), readings or Readings()
    before = {} if model.has_host else dict(_dependencies(program, model))
    threads = _with_host(program, readings) if model.has_host else _alone(program, model)
    alone = [t for t in (*threads.hosts, *threads.device) if t.grid is None]
    bodies = {t.name: t.body for t in alone} | {name: grid.body for name, grid in program.grids.items()}
    return Making(program, model, readings, reductions, observed, threads, before, bodies, frozenset(program.objects))


def made(stage: Making, log: list[Passed] | None = None) -> System:
    """The system that the passes make; InputError for a unit that is larger than what a device has places for."""
    system = passes.run(PASSES, stage, log=log).made
    check_places(system)
    return system


def check_modelled(program: Program) -> None:
    """InputError for what the progress question does not model.

    A grid, or a thread, is one in the state of a system, so a program launches or creates each once.  "The host
    function must not make any CUDA API calls" (CUDA runtime API, cudaLaunchHostFunc).
    """
    seen: set[str] = set()
    for thread in (program.host, *program.others):
        again = on_cycles(thread.body)
        for number, node in thread.body.nodes.items():
            if isinstance(node, ir.Do) and isinstance(node.operation, (ir.LaunchGrid, ir.CreateThread)):
                operation = node.operation
                name = operation.grid if isinstance(operation, ir.LaunchGrid) else operation.thread
                if number in again or name in seen:
                    what = "launches a grid" if isinstance(operation, ir.LaunchGrid) else "creates a thread"
                    message = f"the progress question does not model a loop that {what}"
                    raise error(Code.OUTSIDE_SUBSET, message, node.span, "write the turns of the loop one by one")
                seen.add(name)
    for grid in program.grids.values():
        for node in grid.body.nodes.values():
            calls = (*ISSUING_CALLS, *WAITING_CALLS, *QUERIES, ir.ApiCall, ir.CreateThread, ir.JoinThread)
            if isinstance(node, ir.Do) and isinstance(node.operation, calls):
                message = f"a {grid.work.value} cannot make this call"
                raise error(Code.OUTSIDE_SUBSET, message, node.span, "call it from a host thread")


def check_places(system: System) -> None:
    """InputError for a unit that is larger than what a device has places for, and for models without places.

    A cooperative launch fails with cudaErrorCooperativeLaunchTooLarge where "the number of blocks launched per grid for
    a kernel that was launched via either cudaLaunchCooperativeKernel [...] exceeds the maximum number of blocks" (CUDA
    runtime API, cudaError).
    """
    places, program = system.readings.resident_blocks, system.program
    if places is None:
        return
    for thread in system.threads:
        span = program.source.span(0, 0) if thread.grid is None else program.grids[thread.grid].span
        if not system.model.has_host:
            message = f"`resident_blocks` is not for the progress model `{system.model.name}`, which knows no places"
            raise error(Code.NO_HOST, message, span, "ask under `cuda`, `cuda-resident` or `cuda-in-order`")
        whole = system.blocks_of[system.unit_of[thread.name]]
        if whole > places:
            cooperative = thread.grid is not None and program.grids[thread.grid].cooperative
            refused = "cudaErrorCooperativeLaunchTooLarge" if cooperative else "cudaErrorInvalidClusterSize"
            what = "a cooperative launch" if cooperative else "a cluster"
            message = f"{what} of {whole} blocks, and `resident_blocks = {places}`: the launch fails ({refused})"
            raise error(Code.BAD_LAUNCH, message, span, "launch fewer blocks, or give more places")


def _alone(program: Program, model: Model) -> Threads:
    """The threads of a progress model without a host: those of a litmus file, or of the grids.

    A thread that does nothing but end never keeps another from being owed a step: where some thread must take a step,
    the implementation may choose one that does something.
    """
    for grid in program.grids.values():
        if grid.work is not ir.Work.KERNEL:
            raise _host_error(grid.span, model)
    device = (*program.others, *(t for t in program.threads if t.grid is not None))
    if not device:  # a system has some thread: TLC 2.15 finds that one without any never ends
        device = tuple(device_thread(grid, 0, 0) for grid in program.grids.values())
    return Threads(device=device)


def _with_host(program: Program, readings: Readings) -> Threads:
    """The threads of the CUDA execution model.

    Device threads that do nothing but start and end are left out, except for those whose start or end matters:

    - A grid completes only when all of its threads have started and ended.  Those that do nothing beside others in a
      unit are owed their start with these; a unit of which no thread does anything is not, and one such unit stands for
      all: as long as an API call is pending each is started in turn, and otherwise none need be.
    - A barrier that waits for threads that have exited waits for those that do nothing too.
    """
    main = program.host.body
    idle = not program.grids and program.others and isinstance(main.nodes[main.entry], ir.Exit)
    outside = (*(() if idle else (program.host,)), *program.others)
    inside = [t for t in program.threads if t.grid is not None]
    device = [t for t in inside if t.work is ir.Work.KERNEL]
    tasks = [t for t in inside if t.work is not ir.Work.KERNEL]
    for grid in program.grids.values():
        if grid.work is ir.Work.KERNEL:
            device += _stand_ins(program, grid, device, readings)
        elif not any(t.grid == grid.name for t in tasks):
            tasks.append(device_thread(grid, 0, 0))
    return Threads(
        tuple(t for t in outside if t.is_host), (*(t for t in outside if not t.is_host), *device), tuple(tasks)
    )


def _stand_ins(program: Program, grid: ir.Grid, busy: list[ir.Thread], readings: Readings) -> Iterator[ir.Thread]:
    """Threads of a grid that do nothing, but whose start or end matters."""
    present = {(t.block, t.lane) for t in busy if t.grid == grid.name}
    units = {unit(program, t) for t in busy if t.grid == grid.name}
    operations = list(_operations(grid.body))
    holds = readings.exited_threads_hold and any(isinstance(op, ir.SyncThreads) for op in operations)
    whole = any(isinstance(op, ir.GroupSync) and op.group is ir.Group.GRID for op in operations)
    alone = False
    held: set[int] = set()
    for block in range(grid.blocks.count):
        for lane in range(grid.threads.count):
            if (block, lane) in present:
                continue
            thread = device_thread(grid, block, lane)
            empty = unit(program, thread) not in units
            if (empty and not alone) or (holds and block not in held) or (whole and not held):
                alone = alone or empty
                held.add(block)
                yield thread


def _operations(body: ir.Body) -> Iterator[ir.Operation]:
    return (node.operation for node in body.nodes.values() if isinstance(node, ir.Do))


def _dependencies(program: Program, model: Model) -> Iterator[tuple[str, tuple[str, ...]]]:
    """For each grid those that the host and the streams make it wait for, where the host only launches and waits."""
    launched: list[str] = []
    completed: set[str] = set()
    number = program.host.body.entry
    seen: set[int] = set()
    while not isinstance(node := program.host.body.nodes[number], ir.Exit):
        again, seen = number in seen, seen | {number}
        match node:
            case _ if again:
                raise _host_error(node.span, model)
            case ir.Do(ir.LaunchGrid(grid), _, _) if program.grids[grid].dependent or program.grids[grid].awaits:
                raise _host_error(node.span, model)
            case ir.Do(ir.LaunchGrid(grid), _, _):
                stream = program.grids[grid].stream
                waits = {g for g in launched if g in completed or waits_for(stream, program.grids[g].stream)}
                yield grid, tuple(g for g in launched if g in waits)
                launched.append(grid)
            case ir.Do(ir.DeviceSynchronize(device), _, _):
                completed |= {g for g in launched if program.grids[g].device == device}
            case ir.Do(ir.ApiCall() | ir.Set() | ir.EndProcess(), _, _):
                pass
            case ir.Do(ir.Load(_, place, _), _, _) if program.objects[place.object].use is ir.Use.PASSED:
                pass  # the result of a call, which nothing looks at
            case _:
                raise _host_error(node.span, model)
        assert isinstance(node, ir.Do)
        number = node.next


def _host_error(span: Span, model: Model) -> InputError:
    message = f"the progress model `{model.name}` is about device threads alone"
    help_ = "have the host only launch kernels and call cudaDeviceSynchronize, or use `cuda`"
    return error(Code.NO_HOST, message, span, help_)
