"""Launches of kernels, and what is given to other threads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.intrinsics import captures, launch_events
from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.intrinsics.calls import text_at
from scopec.frontends.clang.intrinsics.host import event_of, last_error_of, stream_of, used_device
from scopec.frontends.clang.intrinsics.staging import staged
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import number
from scopec.frontends.clang.llvm.stubs import is_stub, kernel_of
from scopec.frontends.clang.machine.access import load, store
from scopec.frontends.clang.machine.addresses import as_number
from scopec.frontends.clang.machine.argument_passing import cells_at, passed_on
from scopec.frontends.clang.machine.instructions import pointer_of
from scopec.frontends.clang.machine.memory import (
    Address,
    Cell,
    Code,
    Content,
    Memory,
    Private,
    Record,
    Region,
    object_name,
)
from scopec.frontends.clang.machine.side import is_shared
from scopec.frontends.clang.machine.spawned import Callback, Copy, Launch, queued
from scopec.frontends.clang.machine.state import Again
from scopec.frontends.launches import check_block, check_bound, check_cluster, check_device, check_threads
from scopec.program import ir
from scopec.program.streams import prerequisites
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Iterator


_PENDING = Private((), "%launch")
_AS_IN_CODE = "name a `__device__` variable of this file as it is in object code, and that kernels use"


def _dim(values: list[int]) -> ir.Dim:
    return ir.Dim(*values)


def configure(call: Call) -> bool:
    """``<<<grid, block, shared, stream>>>``: each extent comes as x and y in 64 bits, and z."""
    call.state.cells[_PENDING, 0] = Cell(0, Record(call.arguments))
    return call.done(number(0, 32))


def take_configuration(call: Call) -> bool:
    """``__cudaPopCallConfiguration(grid, block, shared, stream)``, in what clang makes of a kernel on the host."""
    machine, state = call.machine, call.state
    pending = state.cells.pop((_PENDING, 0)).content
    assert isinstance(pending, Record)
    for position, (pointer, distance) in enumerate(((0, 0), (0, 8), (1, 0), (1, 8), (2, 0), (3, 0))):
        at = pointer_of(machine, state, call.action.arguments[pointer])
        type_ = llvm.Int(32 if distance else 64) if pointer < 3 else llvm.Pointer()
        to = Address(at.region, at.offset.plus(distance, number(1, 64)))
        store(machine, state, to, pending.parts[position], type_, ir.PLAIN)
    return call.done(number(0, 32))


def launch_kernel(call: Call) -> bool:
    """``cudaLaunchKernel(kernel, grid, block, arguments, shared, stream)``: each extent comes as above."""
    grid, block = (_extent(call, call.arguments[n : n + 2]) for n in (1, 3))
    _launched(call, call.action.arguments[5], grid, block, call.number(6), stream_of(call, call.arguments[7]))
    if is_stub(call.state.frame.function.name):
        return call.done(number(0, 32))
    return last_error_of(call)


def _extent(call: Call, parts: tuple[Content, ...]) -> ir.Dim:
    low, high = (as_number(call.machine, call.state, part) for part in parts)
    if not isinstance(low, Const) or not isinstance(high, Const):
        raise error(Codes.NOT_CONSTANT, "the extents of a launch must be known", call.machine.span(call.state))
    return ir.Dim(low.value & 0xFFFFFFFF, low.value >> 32 & 0xFFFFFFFF, high.value & 0xFFFFFFFF)


def _launched(
    call: Call, given: llvm.Typed, blocks: ir.Dim, threads: ir.Dim, shared: Value, stream: ir.Stream, *,
    cooperative: bool = False, cluster: ir.Dim | None = None, domain: int = 0, dependent: bool = False,
) -> None:  # fmt: skip
    """Launch the kernel that is the first argument: its threads run with the arguments as they are now."""
    machine, state = call.machine, call.state
    if not blocks.count or not threads.count:
        message = "a launch of no threads"
        raise error(Codes.NO_THREADS, message, machine.span(state))
    check_threads(blocks, threads, machine.span(state))
    check_device(stream, used_device(call), machine.span(state))
    if not isinstance(shared, Const):
        raise error(Codes.NOT_CONSTANT, "how much shared memory a launch asks for must be known", machine.span(state))
    function = _kernel(call)
    kernel = machine.world.device.debug.function_name(function.subprogram or "") or function.name
    name = work_name(call, kernel, stream)
    arguments: list[Content] = []
    passed: list[str] = []
    cells: dict[tuple[Private, int], Cell] = {}
    for (parameter, type_), behind, pointer in zip(
        function.parameters, function.byval, _arguments(call, function, given), strict=True
    ):
        if behind is None:
            content = load(machine, state, pointer, type_, ir.PLAIN)
            if machine.world.in_host_memory(content) or _tells_elements(call, function, parameter, content):
                raise Again
            arguments.append(passed_on(call, content, f"{name}({parameter})", passed))
            continue
        copy, about = Private((), parameter), machine.world.device.parameter(function, parameter)
        for at, cell in cells_at(call, pointer, llvm.size(behind)):
            if machine.world.in_host_memory(cell.content):
                raise Again
            path = machine.world.device.debug.path(about.type if about is not None else "", at)
            content = passed_on(call, cell.content, f"{name}({parameter}{path})", passed)
            cells[copy, at] = replace(cell, content=content)
        arguments.append(Address(copy))
    said = machine.world.said.get(function.name, {})
    check_block(threads, said, machine.span(state))
    if not said:  # of a file of PTX it is `.maxntid`
        check_bound(threads, machine.world.device.module.bound(function.name, "maxntid"), machine.span(state))
    if cluster is None and (sizes := said.get("cluster_dims")):
        cluster = ir.Dim(*sizes)
    if cluster is not None:
        check_cluster(cluster, blocks, machine.span(state))
    launch = Launch(kernel, function, tuple(arguments), cells, machine.span(state), blocks, threads, stream,
                    cooperative, cluster, domain, shared.value, tuple(passed), dependent,
                    events=_recorded(call, stream))  # fmt: skip
    issued(call, name, launch)


def _recorded(call: Call, stream: ir.Stream) -> tuple[ir.LaunchEvent, ...]:
    """The events that a launch records."""
    events = launch_events.asked(call)
    if events and captures.captured(call.state, stream) is not None:
        raise call.machine.refused(call.state, "a launch that records an event, in a captured stream, is")
    return events


def _tells_elements(call: Call, function: llvm.Function, parameter: str, content: Content) -> bool:
    """Whether it is news that memory has the elements that a parameter of a kernel points to."""
    device, debug = call.machine.world.device, call.machine.world.device.debug
    about = device.parameter(function, f"{parameter}.addr")
    if about is None or not isinstance(content, Address) or not isinstance(content.region, Memory):
        return False
    pointee = debug.pointee(about.type)
    each = debug.bytes(pointee) if pointee else 0
    return bool(each) and call.machine.world.know_elements(content.region.name, debug.leaves(pointee), each)


def work_name(call: Call, kind: str, stream: ir.Stream) -> str:
    """The name of new work of a kind; that of a node of a graph is another than those of the work of its launches."""
    world = call.machine.world
    if captures.captured(call.state, stream) is None:
        taken = sum(work.kernel == kind for work in world.launches.values())
        return kind if not taken else f"{kind}#{taken + 1}"
    nodes = [work for work in world.captured.values() if isinstance(work, Launch | Copy | Callback)]
    return f"{kind}.node#{1 + sum(work.kernel == kind for work in nodes)}"


def issued(call: Call, name: str, work: Launch | Copy | Callback) -> None:
    """Give work to a stream, at one place of the program in one state: there would be two of one name otherwise."""
    if captures.append(call, work.stream, work):
        return
    world, key = call.machine.world, (call.machine.thread, call.state.again())
    if key in world.issued:
        message = "work for a stream that host code issues in several states is"
        raise call.machine.refused(call.state, message, "issue it before the branch, or in each branch")
    world.issued.add(key)
    if isinstance(work, Copy) and work.pageable:
        work = staged(call, name, work)
    if isinstance(work, Launch):
        work = replace(work, awaits=launch_events.awaited(call, work.stream))
    launch_events.check_none_awaited(call, work.stream)
    world.launches[name] = work
    if isinstance(work, Launch):
        launch_events.launched(call, name, work.events)
    call.emit(ir.LaunchGrid(name))


def _kernel(call: Call) -> llvm.Function:
    machine, stub = call.machine, call.arguments[0]
    if not isinstance(stub, Address) or not isinstance(stub.region, Code):
        raise machine.refused(call.state, "a kernel that is not known is")
    kernel = kernel_of(stub.region.name)
    function = machine.world.device.function(kernel)
    if function is None:
        raise error(Codes.NOT_LAUNCHED, f"`{kernel}` is no kernel", machine.span(call.state))
    return function


def _named(call: Call) -> bool:
    """``kernel(name)``: "Returns in *hfunc the handle of the function of name name" (cuModuleGetFunction)."""
    name = text_at(call, call.arguments[0])
    if call.machine.world.device.function(name) is None:
        help_ = (
            'name a kernel of this file as it is in object code: one that is declared extern "C", or its mangled name'
        )
        raise error(Codes.NOT_LAUNCHED, f"`{name}` is no kernel", call.machine.span(call.state), help_)
    return call.done(Address(Code(name)))


def _global(call: Call) -> bool:
    """``global(name, managed)``: the variable, as ``cudaGetSymbolAddress`` gives it."""
    name, region = _variable(call)
    managed = isinstance(region, Memory) and any(
        call.machine.world.objects[object_name(region.name, leaf)].storage is ir.Storage.MANAGED
        for leaf in call.machine.world.layouts[region].leaves
    )
    if call.known(1) and not managed:
        raise error(Codes.UNKNOWN_NAME, f"`{name}` is not managed", call.machine.span(call.state), _AS_IN_CODE)
    return call.done(Address(region))


def _global_size(call: Call) -> bool:
    name, _ = _variable(call)
    return call.done(number(llvm.size(call.machine.world.device.module.variable(name).type), 64))


def _variable(call: Call) -> tuple[str, Region]:
    """A variable of the device by its name in object code: InputError where none has it."""
    world, name = call.machine.world, text_at(call, call.arguments[0])
    name = world.device.module.aliases.get(name, name)
    if name not in world.device.module.variables or is_shared(world.device, name):
        message = f"`{name}` is no variable of the device"
        raise error(Codes.UNKNOWN_NAME, message, call.machine.span(call.state), _AS_IN_CODE)
    return name, world.global_region(world.device, name, call.machine.thread)


def _arguments(call: Call, function: llvm.Function, given: llvm.Typed) -> Iterator[Address]:
    """The values that an array of pointers to the arguments of a kernel points to."""
    machine, state = call.machine, call.state
    for position in range(len(function.parameters)):
        where = pointer_of(machine, state, given)
        at = Address(where.region, where.offset.plus(8 * position, number(1, 64)))
        pointer = load(machine, state, at, llvm.Pointer(), ir.PLAIN)
        if not isinstance(pointer, Address):
            raise machine.refused(state, "an argument whose address is not known is")
        yield pointer


def _launch(call: Call) -> bool:
    numbers = [call.known(n) & 0xFFFFFFFF for n in range(2, 8)]
    cluster = [call.known(n) & 0xFFFFFFFF for n in range(11, 14)]
    _launched(
        call, call.action.arguments[1], _dim(numbers[:3]), _dim(numbers[3:]), call.number(8),
        stream_of(call, call.arguments[9]), cooperative=bool(call.known(10)),
        cluster=_dim(cluster) if cluster[0] else None, domain=call.known(14), dependent=bool(call.known(15)),
    )  # fmt: skip
    return call.done(number(0, 32))


def _await_prerequisite(call: Call) -> bool:
    """``griddepcontrol.wait``, which waits for nothing where the grid depends on none."""
    world = call.machine.world
    for before in prerequisites({name: queued(work) for name, work in world.launches.items()}, call.machine.thread):
        if before.fires is not ir.Fires.LAUNCHED:
            call.emit(ir.AwaitGrid(before.grid))
    return call.done()


def _trigger_dependents(call: Call) -> bool:
    """``griddepcontrol.launch_dependents``, which does nothing where nobody waits for it."""
    launches, own = call.machine.world.launches, call.machine.thread
    work, triggered = {name: queued(one) for name, one in launches.items()}, ir.Fires.TRIGGERED
    launch = launches[own]
    recorded = isinstance(launch, Launch) and any(one.fires is triggered for one in launch.events)
    if recorded or any(ir.Awaited(own, triggered) in prerequisites(work, name) for name in work):
        call.emit(ir.TriggerDependents())
    return call.done()


def _launch_event(call: Call) -> bool:
    """``launch_event(event, fires, flags)``: the next launch records an event."""
    launch_events.ask(call, event_of(call, 0), call.known(1), call.known(2))
    return call.done()


#: The intrinsics that the functions of the runtime API launch with, and those of grids that overlap.
LAUNCHES = {
    "launch": _launch,
    "launch_event": _launch_event,
    "kernel": _named,
    "global": _global,
    "global_size": _global_size,
    "await_prerequisite": _await_prerequisite,
    "trigger_dependents": _trigger_dependents,
}
