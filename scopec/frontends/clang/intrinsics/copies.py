"""Calls that copy or set memory, and functions that a stream calls: work in a stream, like a grid of one thread.

Whether a call waits for its work depends on the memory (CUDA runtime API, "API synchronization behavior").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.intrinsics import captures
from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.intrinsics.calls import text_at
from scopec.frontends.clang.intrinsics.host import stream_of
from scopec.frontends.clang.intrinsics.launches import issued, work_name
from scopec.frontends.clang.intrinsics.staging import buffer
from scopec.frontends.clang.llvm.numbers import Offset, as_type, number
from scopec.frontends.clang.machine.access import forget
from scopec.frontends.clang.machine.argument_passing import passed_on
from scopec.frontends.clang.machine.instructions import pointer_of
from scopec.frontends.clang.machine.memcpy import check_whole
from scopec.frontends.clang.machine.memory import (
    Address,
    Cell,
    Code,
    Layout,
    Memory,
    Nowhere,
    Private,
    element,
    object_name,
)
from scopec.frontends.clang.machine.spawned import Callback, Copy
from scopec.frontends.clang.machine.state import UNTIL_WAYS_MEET
from scopec.frontends.clang.machine.variables import publish
from scopec.program import ir
from scopec.program.builder import Builder
from scopec.program.transfers import HOST_SIDES, Role, Waits, copy_waits, fill_waits, role
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.frontends.clang.llvm.debug import Leaf


def copy(call: Call) -> bool:
    """``copy(to, from, bytes, kind, stream, waits)``."""
    copied(call)
    return call.done()


def copied(call: Call) -> None:
    """Give a copy to a stream, with arguments as above."""
    size, sides = call.known(2), HOST_SIDES.get(call.known(3))
    if sides is None:
        message = f"{call.known(3)} is not a cudaMemcpyKind"
        raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state), "use cudaMemcpyDefault")
    targets, sources = numbers_at(call, (0, 1), size)
    if [(leaf.type.size, leaf.pointer) for _, leaf in targets] != [
        (leaf.type.size, leaf.pointer) for _, leaf in sources
    ]:
        raise call.machine.refused(call.state, "a copy between objects of different types is")
    for (to, leaf), (_, other) in zip(targets, sources, strict=True):
        if other.type.is_float and not leaf.type.is_float:
            forget(call.machine, call.state, to, leaf)
    stream = stream_of(call, call.arguments[4])
    source, target = (role_of(call, one, on_host=host) for one, host in zip((sources, targets), sides, strict=True))
    if call.known(5):
        captures.check_unsafe(call, "a copy that waits")
    waits = copy_waits(source, target, synchronous=bool(call.known(5)))
    span, name = call.machine.span(call.state), work_name(call, "cudaMemcpy", stream)
    if waits is Waits.STAGING:
        call.emit(ir.StreamSynchronize(stream.name))
        staged = buffer(call, name, sources, span)
        for (to, leaf), (from_, _) in zip(staged, sources, strict=True):
            register = call.target(leaf.type)
            call.emit(ir.Load(register.name, from_, ir.PLAIN))
            call.emit(ir.Store(to, register, ir.PLAIN))
        sources = staged
    early = source is Role.PAGEABLE and waits is Waits.NOTHING and not _managed(call, sources)
    builder = Builder()
    for position, ((to, leaf), (from_, other)) in enumerate(zip(targets, sources, strict=True)):
        register = Reg(f"%{position + 1}", other.type)
        builder.emit(ir.Load(register.name, from_, ir.PLAIN), span)
        builder.emit(ir.Store(to, _converted(register, leaf), ir.PLAIN), span)
    issue(call, name, "cudaMemcpy", builder, stream, waits, pageable=sources if early else ())


def _managed(call: Call, numbers: list[tuple[ir.Place, Leaf]]) -> bool:
    """Whether some of it is managed memory, which is accessed "in the copy stream" (as :func:`transfers.role`)."""
    return any(call.machine.world.objects[place.object].storage is ir.Storage.MANAGED for place, _ in numbers)


def _converted(register: Reg, leaf: Leaf) -> Value:
    return Const(0, leaf.type) if leaf.type.is_float else as_type(register, leaf.type)


def fill(call: Call) -> bool:
    """``fill(to, byte, bytes, stream, waits)``."""
    (targets,) = numbers_at(call, (0,), call.known(2))
    stream = stream_of(call, call.arguments[3])
    span, name, byte = call.machine.span(call.state), work_name(call, "cudaMemset", stream), call.known(1) & 0xFF
    builder = Builder()
    for place, leaf in targets:
        pattern = int.from_bytes(bytes([byte]) * leaf.type.size, "little")
        if leaf.pointer:
            pattern = call.machine.world.pointer(Address(Nowhere(), Offset(pattern)))
        builder.emit(ir.Store(place, Const(leaf.type.wrap(pattern), leaf.type), ir.PLAIN), span)
    waits = fill_waits(role_of(call, targets, on_host=False), synchronous=bool(call.known(4)))
    issue(call, name, "cudaMemset", builder, stream, waits)
    return call.done()


def stream_operation(call: Call) -> bool:
    """``stream_operation(stream, by)``: work that accesses nothing, so that it only comes in its stream's order.

    CUDA runtime API: "stream is the stream in which the operation is enqueued" (cudaMemPrefetchAsync), "a
    stream-ordered operation" (cudaStreamAttachMemAsync), "ordered behind both any previous work in hStream"
    (cudaGraphUpload).
    """
    stream, kind = stream_of(call, call.arguments[0]), text_at(call, call.arguments[1])
    if captures.captured(call.state, stream) is not None:
        raise call.machine.refused(call.state, f"`{kind}` in a capture, which makes no node of it, is")
    issue(call, work_name(call, kind, stream), kind, Builder(), stream, Waits.NOTHING)
    return call.done()


def host_function(call: Call) -> bool:
    """``host_function(stream, run, data)``: the stream calls a function on the host."""
    run = call.arguments[1]
    if not isinstance(run, Address) or not isinstance(run.region, Code):
        raise call.machine.refused(call.state, "a function that is not known is")
    debug, function = call.machine.side.debug, call.machine.side.function(run.region.name)
    shown = debug.function_name(function.subprogram or "") if function is not None else run.region.name
    stream = stream_of(call, call.arguments[0])
    name = work_name(call, shown or "host function", stream)
    span = call.machine.span(call.state)
    passed: list[str] = []
    argument = passed_on(call, call.arguments[2], f"{name}(data)", passed)
    callback = Callback(run.region.name, argument, span, stream, shown, tuple(passed))
    issued(call, name, callback)
    return call.done()


def issue(
    call: Call, name: str, kind: str, builder: Builder, stream: ir.Stream, waits: Waits,
    pageable: Sequence[tuple[ir.Place, Leaf]] = (),
) -> None:  # fmt: skip
    """Give what was built to a stream, and wait for it as the call does, unless a graph is being made."""
    runs = captures.captured(call.state, stream) is None
    span = call.machine.span(call.state)
    builder.end(span)
    issued(call, name, Copy(kind, builder.finish({}, frozenset()), span, stream, tuple(pageable)))
    if waits is Waits.COMPLETION and runs:
        call.emit(ir.WorkSynchronize(name))


def numbers_at(call: Call, positions: Sequence[int], size: int) -> list[list[tuple[ir.Place, Leaf]]]:
    """For each of some arguments, pointers, the numbers in memory that it and a size in bytes cover.

    Of elements of large arrays which are alike, those that stand for them.
    """
    machine, state = call.machine, call.state
    sides = []
    for position in positions:
        address = pointer_of(machine, state, call.action.arguments[position])
        publish(machine, state, address)
        if not isinstance(address.region, Memory) or address.offset.terms:
            raise machine.refused(state, "a copy of memory that is not known is")
        layout = machine.world.layouts[address.region]
        check_whole(machine, state, layout, address.offset, size)
        sides.append((layout, address.offset))
    span = machine.span(state)
    covered_ = machine.world.sparse.moved(size, span, *((layout, offset.constant) for layout, offset in sides))
    return [
        _places(call, layout, offset, size, numbers) for (layout, offset), numbers in zip(sides, covered_, strict=True)
    ]


def _places(
    call: Call, layout: Layout, offset: Offset, size: int, numbers: Sequence[tuple[int, Leaf]]
) -> list[tuple[ir.Place, Leaf]]:
    found = []
    for at, leaf in numbers:
        exact = element(layout, offset.moved(Offset(at)), leaf.type.size)
        assert exact is not None
        found.append((ir.Place(object_name(layout.name, exact.leaf), exact.index), leaf))
    if not found or sum(leaf.type.size for _, leaf in found) > size:
        message = f"the copy is not of numbers of `{layout.name}`"
        raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state))
    return found


def role_of(call: Call, numbers: list[tuple[ir.Place, Leaf]], *, on_host: bool) -> Role:
    """The role of the memory that a side of a copy covers."""
    cells, objects = call.state.cells, call.machine.world.objects
    names = {place.object for place, _ in numbers}
    return role(
        (ir.Storage.MAPPED if (_registration(n), 0) in cells else objects[n].storage for n in names), on_host=on_host
    )


# ---------------------------------------------------------------- registered memory


def _registration(name: str) -> Private:
    """The mark, until ways meet, that an object is registered."""
    return Private((), f"{UNTIL_WAYS_MEET}registered {name}")


def register(call: Call) -> bool:
    """``cudaHostRegister``: the memory is mapped memory from here on."""
    names = _objects(call)
    for name in names:
        if (_registration(name), 0) in call.state.cells:
            help_ = "call cudaHostUnregister before"
            raise error(Codes.BAD_ARGUMENTS, f"`{name}` is registered already", call.machine.span(call.state), help_)
        call.state.cells[_registration(name), 0] = Cell(1, number(1, 8))
        call.machine.world.registered.add(name)
    call.emit(ir.ApiCall("cudaHostRegister", names, maps=True))
    return call.done()


def unregister(call: Call) -> bool:
    """``cudaHostUnregister``: the memory is pageable again from here on."""
    names = _objects(call)
    for name in names:
        call.state.cells.pop((_registration(name), 0), None)
        call.machine.world.unregistered.setdefault(name, call.machine.span(call.state))
    call.emit(ir.ApiCall("cudaHostUnregister", names))
    of = pointer_of(call.machine, call.state, call.action.arguments[0]).region
    assert isinstance(of, Memory)
    call.emit(ir.Lifetime(of.name, names, begins=False, how="cudaHostUnregister", registered=True))
    return call.done()


def _objects(call: Call) -> tuple[str, ...]:
    machine, state = call.machine, call.state
    address = pointer_of(machine, state, call.action.arguments[0])
    publish(machine, state, address)
    if not isinstance(address.region, Memory):
        raise error(Codes.TYPE_ERROR, "the address of an object is wanted here", machine.span(state))
    layout = machine.world.layouts[address.region]
    return tuple(dict.fromkeys(object_name(layout.name, leaf) for leaf in layout.leaves))


#: The effect of each intrinsic about memory and streams.
COPIES = {
    "copy": copy,
    "fill": fill,
    "stream_operation": stream_operation,
    "host_function": host_function,
    "register": register,
    "unregister": unregister,
}
