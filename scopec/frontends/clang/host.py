"""What the host does: launches, threads, streams, events, allocations and copies."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang import llvm
from scopec.frontends.clang.access import (
    load,
    publish,
    store,
)
from scopec.frontends.clang.calls import Call, last_error, text_at
from scopec.frontends.clang.debug import Leaf
from scopec.frontends.clang.instructions import as_number, pointer_of
from scopec.frontends.clang.memory import (
    Address,
    Cell,
    Code,
    Content,
    Layout,
    Memory,
    Nowhere,
    Opaque,
    Private,
    Record,
    Unset,
    object_name,
)
from scopec.frontends.clang.numbers import number
from scopec.frontends.clang.work import Callback, Copy, Launch, Started
from scopec.frontends.clang.world import unused
from scopec.program import ir, types
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.frontends.clang.machine import Machine
from scopec.frontends.clang.state import AT_EXIT, State

#: What clang puts before the name of a kernel for the function that launches it.
_STUB = "__device_stub__"
_PENDING = Private((), "%launch")
_DEVICE = Private((), "%device")
_STORAGES = (ir.Storage.DEVICE, ir.Storage.MANAGED, ir.Storage.MAPPED, ir.Storage.SYSTEM)
_FIRST_STREAM = 3
_PER_THREAD = 2


def device_of(state: State) -> int:
    """The device that is current in a host thread."""
    cell = state.cells.get((_DEVICE, 0))
    return cell.content.value if cell is not None and isinstance(cell.content, Const) else 0


def _dim(values: list[int]) -> ir.Dim:
    return ir.Dim(*values)


# ---------------------------------------------------------------- launches


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
    if _STUB in call.state.frame.function.name:
        return call.done(number(0, 32))
    return _last_error(call)


def _extent(call: Call, parts: tuple[Content, ...]) -> ir.Dim:
    low, high = (as_number(call.machine, call.state, part) for part in parts)
    if not isinstance(low, Const) or not isinstance(high, Const):
        raise error(Codes.NOT_CONSTANT, "the extents of a launch must be known", call.machine.span(call.state))
    return ir.Dim(low.value & 0xFFFFFFFF, low.value >> 32 & 0xFFFFFFFF, high.value & 0xFFFFFFFF)


def stream_of(call: Call, content: Content) -> ir.Stream:
    """The stream that a handle or a number names."""
    if isinstance(content, Address) and isinstance(content.region, Nowhere):
        found = content.offset.constant
    else:
        value = as_number(call.machine, call.state, content)
        if not isinstance(value, Const):
            raise error(Codes.NOT_CONSTANT, "which stream this is must be known", call.machine.span(call.state))
        found = value.value
    if found == _PER_THREAD:
        name = f"{call.machine.thread}.stream"
        return call.machine.world.streams.setdefault(name, ir.Stream(name, "blocking", device_of(call.state)))
    if found < _FIRST_STREAM:
        return ir.legacy_stream(device_of(call.state))
    return list(call.machine.world.created.values())[found - _FIRST_STREAM]


def _launched(
    call: Call, given: llvm.Typed, blocks: ir.Dim, threads: ir.Dim, shared: Value, stream: ir.Stream, *,
    cooperative: bool = False, cluster: ir.Dim | None = None, domain: int = 0,
) -> None:  # fmt: skip
    """Launch the kernel that is the first argument: its threads run with the arguments as they are now."""
    machine, state = call.machine, call.state
    if not blocks.count or not threads.count:
        message = "a launch of no threads"
        raise error(Codes.NO_THREADS, message, machine.span(state))
    if not isinstance(shared, Const):
        raise error(Codes.NOT_CONSTANT, "how much shared memory a launch asks for must be known", machine.span(state))
    function = _kernel(call)
    kernel = machine.world.device.debug.function_name(function.subprogram or "") or function.name
    number_ = 1 + sum(launch.kernel == kernel for launch in machine.world.launches.values())
    name = kernel if number_ == 1 else f"{kernel}#{number_}"
    passed: list[Content] = []
    cells: dict[tuple[Private, int], Cell] = {}
    for (parameter, _), behind, content in zip(
        function.parameters, function.byval, _arguments(call, function, given), strict=True
    ):
        if behind is None:
            passed.append(passed_on(call, content, "an argument of a launch"))
            continue
        copy = Private((), parameter)
        for at, cell in _bytes_at(call, content, llvm.size(behind)).items():
            cells[copy, at] = replace(cell, content=passed_on(call, cell.content, "an argument of a launch"))
        passed.append(Address(copy))
    sizes = machine.world.said.get(function.name, {}).get("cluster_dims")
    if cluster is None and sizes:
        cluster = ir.Dim(*sizes)
    launch = Launch(kernel, function, tuple(passed), cells, machine.span(state), blocks, threads, stream, cooperative,
                    cluster, domain, shared.value)  # fmt: skip
    issued(call, name, launch)


def issued(call: Call, name: str, work: Launch | Copy | Callback) -> None:
    """Give work to a stream, at one place of the program in one state: there would be two of one name otherwise."""
    world, key = call.machine.world, (call.machine.thread, call.state.again())
    if key in world.issued:
        message = "work for a stream that host code issues in several states is"
        raise call.machine.refused(call.state, message, "issue it before the branch, or in each branch")
    world.issued.add(key)
    world.launches[name] = work
    call.emit(ir.LaunchGrid(name))


def _kernel(call: Call) -> llvm.Function:
    machine, stub = call.machine, call.arguments[0]
    if not isinstance(stub, Address) or not isinstance(stub.region, Code):
        raise machine.refused(call.state, "a kernel that is not known is")
    kernel = re.sub(rf"(\d+){_STUB}", lambda m: str(int(m[1]) - len(_STUB)), stub.region.name)
    function = machine.world.device.module.function(kernel)
    if function is None:
        raise error(Codes.NOT_LAUNCHED, f"`{kernel}` is no kernel", machine.span(call.state))
    return function


def _arguments(call: Call, function: llvm.Function, given: llvm.Typed) -> list[Content]:
    """What an array of pointers to the arguments of a kernel says; one behind a pointer is that pointer."""
    if not function.parameters:
        return []
    machine, state = call.machine, call.state
    where, arguments = pointer_of(machine, state, given), []
    for position, ((_, type_), behind) in enumerate(zip(function.parameters, function.byval, strict=True)):
        at = Address(where.region, where.offset.plus(8 * position, number(1, 64)))
        pointer = load(machine, state, at, llvm.Pointer(), ir.PLAIN)
        if not isinstance(pointer, Address):
            raise machine.refused(state, "an argument whose address is not known is")
        arguments.append(pointer if behind is not None else load(machine, state, pointer, type_, ir.PLAIN))
    return arguments


def passed_on(call: Call, content: Content, what: str) -> Content:
    """A content as another thread gets it: the registers of this one are not its own."""
    publish(call.machine, call.state, content)
    known = isinstance(content, Address) and not content.offset.terms
    if not known and not isinstance(content, (Const, Opaque, Unset)):
        raise call.machine.refused(call.state, f"{what} that is known at run time alone is")
    return content


def _bytes_at(call: Call, content: Content, size: int) -> dict[int, Cell]:
    """The cells of so many bytes at an address, by their distance from it."""
    if not isinstance(content, Address) or not isinstance(content.region, Private):
        raise call.machine.refused(call.state, "a structure in shared memory as an argument is")
    at = content.offset.constant
    return {
        start - at: cell
        for (region, start), cell in call.state.cells.items()
        if region == content.region and at <= start < at + size
    }


def _launch(call: Call) -> bool:
    numbers = [call.known(n) & 0xFFFFFFFF for n in range(2, 8)]
    cluster = [call.known(n) & 0xFFFFFFFF for n in range(11, 14)]
    _launched(
        call, call.action.arguments[1], _dim(numbers[:3]), _dim(numbers[3:]), call.number(8),
        stream_of(call, call.arguments[9]), cooperative=bool(call.known(10)),
        cluster=_dim(cluster) if cluster[0] else None, domain=call.known(14),
    )  # fmt: skip
    return call.done(number(0, 32))


# ---------------------------------------------------------------- what the source calls things


def subject(call: Call) -> tuple[str, str] | None:
    """What the source calls the object that a function of the library is called for, and the metadata of its type."""
    machine, state = call.machine, call.state
    found: tuple[str, str] | None = None
    for frame in reversed(state.frames):
        if frame.function.subprogram is not None:
            break
        if not frame.function.parameters:
            continue
        name = frame.function.parameters[0][0]
        cell = state.cells.get((Private(frame.calls, f"{name}.addr"), 0))
        if cell is not None and isinstance(cell.content, Address):
            found = described(machine, cell.content) or found
    return found


def described(machine: Machine, address: Address) -> tuple[str, str] | None:
    """What the source calls the variable, member or element at an address."""
    known = machine.named.get(address.region)
    if known is None:
        if isinstance(address.region, Memory) and not address.region.name.startswith("%"):
            return address.region.name, ""
        return None
    name, type_ = known
    debug = machine.side.debug
    for leaf in debug.leaves(type_):
        rest, shown = address.offset.constant - leaf.offset, leaf.path
        for count, distance in leaf.extents:
            position = rest // distance
            if not 0 <= position < count:
                break
            shown = shown.replace("[]", f"[{position}]", 1)
            rest -= position * distance
        else:
            if rest == 0:
                return name + shown, leaf.pointee or type_
    return name, type_


# ---------------------------------------------------------------- memory


def _allocate(call: Call) -> bool:
    machine, world = call.machine, call.machine.world
    size, storage = call.known(0), _STORAGES[call.known(1)]
    name, type_ = subject(call) or ("allocation", _made(call))
    debug = machine.side.debug
    each = debug.bytes(type_) if type_ else 0
    unique, again = name, 1
    key = (machine.thread, call.state.again())
    while Memory(unique) in world.layouts and world.allocated.get(unique) != key:
        again += 1
        unique = f"{name}#{again}"
    world.allocated[unique] = key
    leaves = debug.leaves(type_) if each else (Leaf("", 0, types.INT),)
    count = max(1, size // (each or 4))
    if count > 1 or size != (each or 4):
        distance = each or 4
        leaves = tuple(
            replace(leaf, path=f"[]{leaf.path}", extents=((count, distance), *leaf.extents)) for leaf in leaves
        )
    span = machine.span(call.state)
    region = world.declare(Layout(unique, leaves), storage, span, {}, zero=False)
    if storage is ir.Storage.DEVICE:  # the only instance is in the memory of the device that was current
        for leaf in leaves:
            made = world.objects[object_name(unique, leaf)]
            world.objects[made.name] = replace(made, device=device_of(call.state))
    function = {ir.Storage.DEVICE: "cudaMalloc", ir.Storage.MANAGED: "cudaMallocManaged",
                ir.Storage.MAPPED: "cudaMallocHost"}.get(storage)  # fmt: skip
    if function is not None:
        call.emit(ir.ApiCall(function))
    return call.done(Address(region))


def _made(call: Call) -> str:
    """The metadata of the type that a `new` makes objects of; empty if none is known."""
    for frame in call.state.frames[-2::-1]:
        known = frame.function.blocks[frame.label][frame.at - 1].allocates
        if known is not None or frame.function.subprogram is not None:
            return known or ""
    return ""


def at_exit(call: Call) -> bool:
    """``__cxa_atexit(function, argument, …)``: the destructor of an object of static storage duration."""
    known = call.state.cells.get((AT_EXIT, 0))
    earlier = known.content.parts if known is not None and isinstance(known.content, Record) else ()
    call.state.cells[AT_EXIT, 0] = Cell(0, Record((*earlier, Record(call.arguments[:2]))))
    return call.done(number(0, 32))


# ---------------------------------------------------------------- threads of the host


def _thread_create(call: Call) -> bool:
    machine, state = call.machine, call.state
    run = call.arguments[0]
    assert isinstance(run, Address)
    assert isinstance(run.region, Code)
    known = subject(call)
    name = known[0] if known is not None else "thread"
    unique, again = name, 1
    key = (machine.thread, state.again())
    while unique in machine.world.threads and machine.world.threads[unique].key != key:
        again += 1
        unique = f"{name}#{again}"
    block = Private((), "%state")
    cells: dict[tuple[Private, int], Cell] = {}
    for at, cell in _bytes_at(call, call.arguments[1], call.known(2)).items():
        cells[block, at] = replace(cell, content=passed_on(call, cell.content, "what a thread is given"))
    started = Started(key, run.region.name, Address(block), cells)
    if machine.world.threads.setdefault(unique, started) != started:
        raise machine.refused(state, "a thread that is created in several states is")
    call.emit(ir.CreateThread(unique))
    return call.done(number(1 + list(machine.world.threads).index(unique), 32))


def _thread_join(call: Call) -> bool:
    threads = list(call.machine.world.threads)
    found = call.known(0)
    if not 0 < found <= len(threads):
        raise call.machine.refused(call.state, "joining a thread that is none is")
    call.emit(ir.JoinThread(threads[found - 1]))
    return call.done()


# ---------------------------------------------------------------- streams and events


def _stream_create(call: Call) -> bool:
    world = call.machine.world
    known = subject(call)
    name = known[0] if known is not None else "stream"
    key = (call.machine.thread, call.state.again())
    if key not in world.created:
        unique = unused(name, {stream.name for stream in world.created.values()})
        kind: Literal["blocking", "non-blocking"] = "non-blocking" if call.known(0) == 2 else "blocking"
        world.created[key] = ir.Stream(unique, kind, device_of(call.state))
    return call.done(number(_FIRST_STREAM + list(world.created).index(key), 32))


def _event_create(call: Call) -> bool:
    world = call.machine.world
    key = (call.machine.thread, call.state.again())
    known = subject(call)
    if key not in world.events:
        world.events[key] = unused(known[0] if known is not None else "event", world.events.values())
    return call.done(number(1 + list(world.events).index(key), 32))


def _stop_flag(call: Call) -> bool:
    """A flag that stop tokens share."""
    world = call.machine.world
    known = subject(call)
    name = f"{known[0]}.stop" if known is not None else "stop"
    region = world.declare(Layout(name, (Leaf("", 0, types.BOOL),)), ir.Storage.SYSTEM, call.machine.span(call.state),
                           {0: 0}, zero=True)  # fmt: skip
    world.objects[name] = replace(world.objects[name], use=ir.Use.STOP)
    return call.done(Address(region))


def _event(call: Call, position: int) -> str:
    return list(call.machine.world.events.values())[call.known(position) - 1]


def _set_device(call: Call) -> bool:
    call.state.cells[_DEVICE, 0] = Cell(4, number(call.known(0), 32))
    call.emit(ir.ApiCall("cudaSetDevice"))
    return call.done()


def _stream_query(call: Call) -> bool:
    register = call.target(types.INT)
    call.emit(ir.StreamQuery(register.name, stream_of(call, call.arguments[0]).name))
    return call.done(register)


def _event_query(call: Call) -> bool:
    register = call.target(types.INT)
    call.emit(ir.EventQuery(register.name, _event(call, 0)))
    return call.done(register)


def _last_error(call: Call) -> bool:
    """0, or what an aborted grid has left."""
    if not call.machine.world.aborts:
        return call.done(number(0, 32))
    place = last_error(call, device_of(call.state))
    register = call.target(types.INT)
    call.emit(ir.Load(register.name, place, ir.Mode(ir.Order.ACQUIRE, ir.Scope.SYSTEM)))
    return call.done(register)


def _api(call: Call) -> bool:
    call.emit(ir.ApiCall(text_at(call, call.arguments[0])))
    return call.done()


def _simply(operation: Callable[[Call], ir.Operation]) -> Callable[[Call], bool]:
    def handler(call: Call) -> bool:
        call.emit(operation(call))
        return call.done()

    return handler


#: What each intrinsic does that host threads alone call.
HOST: dict[str, Callable[[Call], bool]] = {
    "launch": _launch,
    "allocate": _allocate,
    "free": lambda call: call.done(),
    "thread_create": _thread_create,
    "thread_join": _thread_join,
    "thread_detach": lambda call: call.done(),
    "stream_create": _stream_create,
    "stream_synchronize": _simply(lambda call: ir.StreamSynchronize(stream_of(call, call.arguments[0]).name)),
    "stream_query": _stream_query,
    "stream_wait_event": _simply(lambda call: ir.EventWait(_event(call, 1), stream_of(call, call.arguments[0]).name)),
    "event_create": _event_create,
    "event_record": _simply(lambda call: ir.EventRecord(_event(call, 0), stream_of(call, call.arguments[1]).name)),
    "event_synchronize": _simply(lambda call: ir.EventSynchronize(_event(call, 0))),
    "event_query": _event_query,
    "device_synchronize": _simply(lambda call: ir.DeviceSynchronize(device_of(call.state))),
    "set_device": _set_device,
    "get_device": lambda call: call.done(number(device_of(call.state), 32)),
    "last_error": _last_error,
    "api": _api,
    "stop_flag": _stop_flag,
}
