"""Calls of the host: threads, streams, events, devices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.intrinsics import captures, launch_events
from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.intrinsics.calls import address_of, last_error, text_at
from scopec.frontends.clang.llvm.debug import Leaf
from scopec.frontends.clang.llvm.numbers import number
from scopec.frontends.clang.machine.addresses import as_number
from scopec.frontends.clang.machine.argument_passing import cells_at, passed_on
from scopec.frontends.clang.machine.memory import (
    Address,
    Cell,
    Code,
    Content,
    Layout,
    Memory,
    Nowhere,
    Private,
    Record,
)
from scopec.frontends.clang.machine.names import unused
from scopec.frontends.clang.machine.opaque import Opaque
from scopec.frontends.clang.machine.spawned import Started
from scopec.frontends.clang.machine.state import AT_EXIT, Done, State
from scopec.program import faults, ir, types
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.frontends.clang.machine.machine import Machine

_DEVICE = Private((), "%device")
#: By device, whether its context is the primary one.
_CONTEXTS = Private((), "%contexts")
_PUSHED = Private((), "%pushed devices")
_DESTROYED = {"Stream": Private((), "%destroyed.stream"), "Event": Private((), "%destroyed.event")}
_FIRST_STREAM = 3
_DEFAULT, _PER_THREAD = 0, 2
#: What headers have where the default stream is that of the thread (CUDA_API_PER_THREAD_DEFAULT_STREAM).
_PER_THREAD_STREAMS = "__scopec_per_thread_streams"
_GRAPH_NODE = -2


def device_of(state: State) -> int:
    """The device that is current in a host thread; 0 for one whose number is known at run time alone."""
    current = _current(state)
    return current.value if isinstance(current, Const) else 0


def _current(state: State) -> Content:
    """The device: its number, or what that is at run time with a number for it."""
    cell = state.cells.get((_DEVICE, 0))
    return cell.content if cell is not None else number(0, 32)


def used_device(call: Call) -> int:
    """The device that is current in a host thread that uses it.

    What one device does means the same whichever it is.  InputError where work is on one whose number is known at run
    time alone and on another, which may be the same.
    """
    current, used = _current(call.state), call.machine.world.used_devices
    used.add(str(current.value) if isinstance(current, Const) else "unknown" + str(_chosen(current)))
    if len(used) > 1 and any(one.startswith("unknown") for one in used):
        help_ = "call cudaSetDevice once, before all other work, or give the numbers in the text, as with -D"
        raise call.machine.refused(
            call.state, "work on a device whose number is known at run time alone beside work on another is", help_
        )
    return device_of(call.state)


def _chosen(current: Content) -> int:
    assert isinstance(current, Record)
    (_, which) = current.parts
    assert isinstance(which, Const)
    return which.value


def stream_of(call: Call, content: Content) -> ir.Stream:
    """The stream that a handle or a number names."""
    if isinstance(content, Address) and isinstance(content.region, Nowhere):
        found = content.offset.constant
    else:
        value = as_number(call.machine, call.state, content)
        if not isinstance(value, Const):
            raise error(Codes.NOT_CONSTANT, "which stream this is must be known", call.machine.span(call.state))
        found = value.value
    if found == _GRAPH_NODE:
        return graph_node(call.state)
    if found == _DEFAULT and _PER_THREAD_STREAMS in call.machine.world.host.module.variables:
        found = _PER_THREAD
    if found == _PER_THREAD:
        device = used_device(call)
        name = f"{call.machine.thread}.stream" + (f"@{device}" if device else "")
        return call.machine.world.streams.setdefault(name, ir.Stream(name, "blocking", device))
    if found < _FIRST_STREAM:
        return ir.legacy_stream(used_device(call))
    stream = list(call.machine.world.created.values())[found - _FIRST_STREAM]
    _check_there(call, "Stream", found, stream.name)
    return stream


def graph_node(state: State) -> ir.Stream:
    """The stream whose work is a node of the graph that a node is being added to."""
    return ir.Stream("%graph node", "non-blocking", device_of(state))


def _check_there(call: Call, kind: str, handle: int, of: str) -> None:
    """Raise Done where a stream or an event is used that this thread has destroyed."""
    if (_DESTROYED[kind], handle) in call.state.cells:
        call.emit(faults.of_handle(kind, of))
        call.machine.builder.end(call.machine.span(call.state))
        raise Done


def _destroyed(call: Call, kind: str, handle: int) -> bool:
    """Forget a handle in this thread and those that it begins; work that was given to it goes on."""
    call.state.cells[_DESTROYED[kind], handle] = Cell(1, number(1, 8))
    call.emit(ir.ApiCall(f"cuda{kind}Destroy"))
    return call.done()


# ---------------------------------------------------------------- what the source calls things


def subject(call: Call) -> tuple[str, str] | None:
    """The source's name for the object of a member function of the library, and the metadata of its type."""
    machine, state = call.machine, call.state
    found: tuple[str, str] | None = None
    for frame in reversed(state.frames):
        if not machine.side.debug.is_library(frame.function.subprogram):
            break
        if not frame.function.parameters:
            continue
        name = frame.function.parameters[0][0]
        cell = state.cells.get((Private(frame.calls, f"{name}.addr"), 0))
        content = frame.env.get(f"{name}1") if cell is None else cell.content  # read once, where it is `this`
        if isinstance(content, Address):
            found = described(machine, content) or found
    return found


def described(machine: Machine, address: Address) -> tuple[str, str] | None:
    """The source's name for the variable, member or element at an address."""
    known = machine.named.get(address.region)
    if known is None:
        if isinstance(address.region, Memory) and not address.region.name.startswith("%"):
            return address.region.name, ""
        return None
    name, type_, _ = known
    path, leaf = machine.side.debug.number_at(type_, address.offset.constant) or ("", None)
    return name + path, (leaf.pointee if leaf is not None else "") or type_


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
    block, given = Private((), "%state"), address_of(call, 1)
    cells: dict[tuple[Private, int], Cell] = {}
    passed: list[str] = []
    for at, cell in cells_at(call, given, call.known(2)):
        cells[block, at] = replace(cell, content=passed_on(call, cell.content, f"{unique}(given)", passed))
    started = Started(key, run.region.name, Address(block), cells, tuple(passed))
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
        world.created[key] = ir.Stream(unique, kind, used_device(call))
    made = world.created[key]
    for done in world.peer_copies.get(made.device, ()):
        call.emit(ir.EventWait(done, made.name))
    found = _FIRST_STREAM + list(world.created).index(key)
    call.state.cells.pop((_DESTROYED["Stream"], found), None)
    return call.done(number(found, 32))


def _stream_destroy(call: Call) -> bool:
    stream_of(call, call.arguments[0])
    return _destroyed(call, "Stream", call.known(0))


def _event_create(call: Call) -> bool:
    world = call.machine.world
    key = (call.machine.thread, call.state.again())
    known = subject(call)
    if key not in world.events:
        world.events[key] = unused(known[0] if known is not None else "event", world.events.values())
    found = 1 + list(world.events).index(key)
    call.state.cells.pop((_DESTROYED["Event"], found), None)
    launch_events.created(call.state, world.events[key], call.number(0))
    return call.done(number(found, 32))


def _event_destroy(call: Call) -> bool:
    event_of(call, 0)
    return _destroyed(call, "Event", call.known(0))


def _stop_flag(call: Call) -> bool:
    """A flag that stop tokens share."""
    world = call.machine.world
    known = subject(call)
    name = f"{known[0]}.stop" if known is not None else "stop"
    region = world.declare(Layout(name, (Leaf("", 0, types.BOOL),)), ir.Storage.SYSTEM, call.machine.span(call.state),
                           {0: 0}, zero=True)  # fmt: skip
    world.objects[name] = replace(world.objects[name], use=ir.Use.STOP)
    return call.done(Address(region))


def event_of(call: Call, position: int) -> str:
    """The event that a handle names."""
    found = call.known(position)
    name = list(call.machine.world.events.values())[found - 1]
    _check_there(call, "Event", found, name)
    return name


def _make_current(call: Call) -> None:
    """Have the device that the first argument numbers be the current one.

    Of two numbers that are known at run time alone none is taken to be the other.
    """
    state, given = call.state, call.arguments[0]
    value = given if isinstance(given, Opaque) else as_number(call.machine, state, given)
    if isinstance(value, Const):
        state.cells[_DEVICE, 0] = Cell(4, number(value.value, 32))
        return
    chosen, key = call.machine.world.chosen_devices, (call.machine.thread, state.again())
    chosen.setdefault(key, len(chosen))
    state.cells[_DEVICE, 0] = Cell(4, Record((value, number(chosen[key], 32))))


def _number(current: Content) -> Content:
    """What the host knows of the number of a device."""
    return current.parts[0] if isinstance(current, Record) else current


def _set_device(call: Call) -> bool:
    _make_current(call)
    call.emit(ir.ApiCall("cudaSetDevice"))
    return call.done()


def _push_device(call: Call) -> bool:
    """``push_device(device)``: "The specified context becomes the CPU thread's current context" (cuCtxPushCurrent)."""
    state = call.state
    state.cells[_PUSHED, 0] = Cell(0, Record((*_pushed(state), _current(state))))
    _make_current(call)
    return call.done()


def _pop_device(call: Call) -> bool:
    """``pop_device()``: "If a context was current to the CPU thread before cuCtxCreate() or cuCtxPushCurrent() was
    called, this function makes that context current to the CPU thread again" (cuCtxPopCurrent).
    """
    state, popped = call.state, _number(_current(call.state))
    earlier = _pushed(state)
    if not earlier:
        raise call.machine.refused(state, "the end of a context that this thread has not pushed is")
    state.cells[_PUSHED, 0] = Cell(0, Record(earlier[:-1]))
    state.cells[_DEVICE, 0] = Cell(4, earlier[-1])
    return call.done(popped)


def _pushed(state: State) -> tuple[Content, ...]:
    cell = state.cells.get((_PUSHED, 0))
    return cell.content.parts if cell is not None and isinstance(cell.content, Record) else ()


def _context(call: Call) -> bool:
    """``context(device, primary)``.

    The default streams of two contexts of one device do not wait for each other: "The legacy default stream is an
    implicit stream which synchronizes with all other streams in the same CUcontext except for non-blocking streams"
    (CUDA runtime API, "Stream synchronization behavior").
    """
    if isinstance(call.arguments[0], Opaque) or not isinstance(call.number(0), Const):
        return call.done()
    device, primary = call.known(0), call.known(1)
    before = call.state.cells.get((_CONTEXTS, device))
    if before is not None and not (primary and before.content == number(1, 32)):
        raise call.machine.refused(call.state, "a second context of one device is")
    call.state.cells[_CONTEXTS, device] = Cell(4, number(primary, 32))
    return call.done()


def _stream_query(call: Call) -> bool:
    register, stream = call.target(types.INT), stream_of(call, call.arguments[0])
    captures.check_stream(call, stream)
    launch_events.check_none_awaited(call, stream)
    call.emit(ir.StreamQuery(register.name, stream.name))
    return call.done(register)


def _stream_synchronize(call: Call) -> bool:
    stream = stream_of(call, call.arguments[0])
    captures.check_stream(call, stream)
    launch_events.check_none_awaited(call, stream)
    call.emit(ir.StreamSynchronize(stream.name))
    return call.done()


def _stream_wait_event(call: Call) -> bool:
    event, stream = event_of(call, 1), stream_of(call, call.arguments[0])
    if not captures.join(call, event, stream) and not launch_events.wait(call, event, stream):
        call.emit(ir.EventWait(event, stream.name))
    return call.done()


def _event_record(call: Call) -> bool:
    event, stream = event_of(call, 0), stream_of(call, call.arguments[1])
    launch_events.forget(call.state, event)
    if not captures.record(call, event, stream):
        launch_events.check_none_awaited(call, stream)
        call.emit(ir.EventRecord(event, stream.name))
    return call.done()


def _event_synchronize(call: Call) -> bool:
    event = event_of(call, 0)
    captures.check_event(call, event)
    of = launch_events.launch_of(call, event)
    call.emit(ir.EventSynchronize(event) if of is None else ir.LaunchSynchronize(event, of.grid, of.fires))
    return call.done()


def _event_query(call: Call) -> bool:
    register, event = call.target(types.INT), event_of(call, 0)
    captures.check_event(call, event)
    of = launch_events.launch_of(call, event)
    name = register.name
    call.emit(ir.EventQuery(name, event) if of is None else ir.LaunchQuery(name, event, of.grid, of.fires))
    return call.done(register)


def _device_synchronize(call: Call) -> bool:
    captures.check_device(call)
    call.emit(ir.DeviceSynchronize(used_device(call)))
    return call.done()


def last_error_of(call: Call) -> bool:
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


#: The effect of each intrinsic that host threads alone call.
HOST: dict[str, Callable[[Call], bool]] = {
    "thread_create": _thread_create,
    "thread_join": _thread_join,
    "thread_detach": lambda call: call.done(),
    "stream_create": _stream_create,
    "stream_destroy": _stream_destroy,
    "stream_synchronize": _stream_synchronize,
    "stream_query": _stream_query,
    "stream_wait_event": _stream_wait_event,
    "event_create": _event_create,
    "event_destroy": _event_destroy,
    "event_record": _event_record,
    "event_synchronize": _event_synchronize,
    "event_query": _event_query,
    "device_synchronize": _device_synchronize,
    "set_device": _set_device,
    "context": _context,
    "push_device": _push_device,
    "pop_device": _pop_device,
    "get_device": lambda call: call.done(_number(_current(call.state))),
    "last_error": last_error_of,
    "api": _api,
    "stop_flag": _stop_flag,
}
