"""Lowering of calls: the members of atomics and groups, and the functions of the libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from scopec.base.diagnostics import Code, error, suggestion
from scopec.frontends.c.syntax import tree
from scopec.frontends.scoped.lower import atomics, names
from scopec.frontends.scoped.lower.arguments import arguments_of, order_of, scope_of
from scopec.frontends.scoped.lower.operands import (
    Array,
    Atomic,
    Computed,
    Group,
    Nothing,
    Operand,
    Pointer,
    Stream,
    Variable,
    describe,
)
from scopec.frontends.scoped.out_of_subset import out_of_subset, way_to_clang
from scopec.program import ir, types, values
from scopec.program.warp import EVERY_LANE

if TYPE_CHECKING:
    from scopec.frontends.scoped.lower.context import Frame

#: Calls are taken to succeed.
_SUCCESS = Computed(values.Const(0, types.INT))


def lower_call(frame: Frame, call: tree.Call) -> Operand:
    """Lower ``function(arguments)``."""
    match call.function:
        case tree.Member(_, object_, name):
            return _member(frame, call, frame.operand(object_), name)
        case tree.Name(span, name, argument):
            if (found := frame.find(name)) is not None:
                raise error(Code.TYPE_ERROR, f"{describe(found)} cannot be called", span)
            short = names.unqualified(frame.world.library_name(name))
            if short == "tiled_partition" and argument is not None:
                return _tile(frame, call, argument)
            if short not in _FUNCTIONS:
                help_ = suggestion(name, _FUNCTIONS) or way_to_clang()
                raise error(Code.UNMODELLED_CALL, f"the scoped language has no function `{name}`", span, help_)
            least, most, side, handler = _FUNCTIONS[short]
            arguments_of(call, least, most)
            if side == "host" and not frame.host:
                raise error(Code.TYPE_ERROR, f"`{name}` is a function of the host", call.span)
            if side == "device" and frame.host:
                raise error(Code.TYPE_ERROR, f"`{name}` can be called in kernels only", call.span)
            return handler(frame, call)
        case _:
            raise out_of_subset("a call of this kind is", call.span)


def _member(frame: Frame, call: tree.Call, target: Operand, name: str) -> Operand:
    match target:
        case Atomic():
            return atomics.member(frame, call, target, name)
        case Group(size) if name == "sync":
            arguments_of(call, 0, 0)
            if size != 1:
                frame.emit(ir.SyncThreads() if size is None else ir.GroupSync(ir.Group.TILE, size), call.span)
            return Nothing()
        case Group():
            raise out_of_subset(f"a group's `{name}` is", call.span)
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(target)} has no member functions", call.span)


# ---------------------------------------------------------------- fences, barriers of blocks and warps, waiting


def _fence(frame: Frame, call: tree.Call) -> Operand:
    order, *scope = call.arguments
    if scope and isinstance(call.function, tree.Name) and call.function.name.startswith(("std::", "cuda::std::")):
        raise error(Code.BAD_ARGUMENTS, "only cuda::atomic_thread_fence takes a scope", scope[0].span)
    fence = ir.Fence(order_of(frame, order), scope_of(frame, scope[0]) if scope else ir.Scope.SYSTEM)
    if fence.order is not ir.Order.RELAXED:  # [atomics.fences]: a relaxed fence has no effects
        frame.emit(fence, call.span)
    return Nothing()


def _emits(operation: ir.Operation, result: Operand = Nothing()) -> Callable[[Frame, tree.Call], Operand]:  # noqa: B008
    def handler(frame: Frame, call: tree.Call) -> Operand:
        frame.emit(operation, call.span)
        return result

    return handler


def _syncthreads(frame: Frame, call: tree.Call) -> Operand:
    frame.emit(ir.SyncThreads(at=(call.span,)), call.span)
    return Nothing()


def _syncwarp(frame: Frame, call: tree.Call) -> Operand:
    mask = EVERY_LANE
    if call.arguments:
        mask = frame.constant(call.arguments[0], "the mask of __syncwarp") & mask
    frame.emit(ir.GroupSync(ir.Group.WARP, mask), call.span)
    return Nothing()


def _sleep(frame: Frame, call: tree.Call) -> Operand:
    """``__nanosleep``: how long is not modelled."""
    frame.value(call.arguments[0])
    frame.emit(ir.Yield(sleeps=True), call.span)
    return Nothing()


def _this_block(_frame: Frame, _call: tree.Call) -> Operand:
    return Group()


def _tile(frame: Frame, call: tree.Call, argument: tree.Expr) -> Operand:
    """Tiles of a block: neighbouring lanes of a warp, as many as the template argument says."""
    (whole,) = arguments_of(call, 1, 1)
    size = frame.constant(argument, "the size of a tile")
    if size not in (1, 2, 4, 8, 16, 32):
        raise error(Code.BAD_ARGUMENTS, f"there are no tiles of {size} threads", argument.span, "use 1 to 32")
    if frame.operand(whole) != Group():
        raise out_of_subset("tiles of anything but the block are", whole.span)
    return Group(size)


def _assert(frame: Frame, call: tree.Call) -> Operand:
    (condition,) = call.arguments
    value = frame.condition(condition)
    frame.emit(ir.Assert(value, frame.world.source.text_of(condition.span)), call.span)
    return Nothing()


# ---------------------------------------------------------------- the CUDA runtime API


def stream_of(frame: Frame, expr: tree.Expr) -> ir.Stream:
    """The stream that an expression denotes; ``0`` is the legacy default stream.

    InputError if it is not a stream, or one that has not been created yet.
    """
    match frame.operand(expr):
        case Computed(values.Const(0, _)):
            return ir.legacy_stream(0)
        case Stream(name, False) if name in frame.world.streams:
            return frame.world.streams[name]
        case Stream(name, False):
            message = f"stream `{name}` is used before it is created"
            raise error(Code.UNINITIALISED, message, expr.span, f"call cudaStreamCreate(&{name}) first")
        case other:
            raise error(Code.TYPE_ERROR, f"a stream is wanted here, not {describe(other)}", expr.span)


def _stream_create(frame: Frame, call: tree.Call) -> Operand:
    """``cudaStreamCreate(&stream)``, ``cudaStreamCreateWithFlags(&stream, flags)``."""
    target = frame.operand(call.arguments[0])
    if not isinstance(target, Stream) or not target.address:
        raise error(Code.TYPE_ERROR, "the address of a cudaStream_t is wanted here", call.arguments[0].span)
    name = target.name
    if name in frame.world.streams:
        raise out_of_subset(f"a stream variable that is created twice (`{name}`) is", call.span)
    if frame.nesting:
        raise out_of_subset("a stream that is created under a condition or in a loop is", call.span)
    flags = frame.constant(call.arguments[1], "a flag") if call.arguments[1:] else 0
    kind: Literal["blocking", "non-blocking"] = "non-blocking" if flags else "blocking"
    frame.world.streams[name] = ir.Stream(name, kind, 0)
    frame.emit(ir.ApiCall("cudaStreamCreate"), call.span)
    return _SUCCESS


def _stream_query(frame: Frame, call: tree.Call) -> Operand:
    stream = stream_of(frame, call.arguments[0])
    ready = frame.temporary(types.INT)
    frame.emit(ir.StreamQuery(ready.name, stream.name), call.span)
    return Computed(ready)


def _stream_synchronize(frame: Frame, call: tree.Call) -> Operand:
    frame.emit(ir.StreamSynchronize(stream_of(frame, call.arguments[0]).name), call.span)
    return _SUCCESS


def _host_register(frame: Frame, call: tree.Call) -> Operand:
    """``cudaHostRegister(p, bytes, flags)``: the memory is mapped memory from here on."""
    name = _registered(frame, call.arguments[0])
    object_ = frame.world.objects[name]
    if object_.storage is not ir.Storage.SYSTEM:
        message = f"cudaHostRegister takes host memory, `{name}` is {object_.storage.value} memory"
        raise error(Code.TYPE_ERROR, message, call.arguments[0].span)
    size, whole = frame.constant(call.arguments[1], "the size"), object_.size * len(object_.values)
    if size < whole:
        raise out_of_subset(f"to register {size} of the {whole} bytes of `{name}` is", call.arguments[1].span)
    if call.arguments[2:]:
        frame.constant(call.arguments[2], "a flag")
    frame.emit(ir.ApiCall("cudaHostRegister", (name,), maps=True), call.span)
    return _SUCCESS


def _registered(frame: Frame, expr: tree.Expr) -> str:
    match frame.operand(expr):
        case Array(name):
            return name
        case Pointer(Variable(place) | Atomic(place)) if not frame.world.objects[place.object].array:
            return place.object
        case _:
            raise error(Code.TYPE_ERROR, "the address of a whole object is wanted here", expr.span)


#: Name: (fewest arguments, most arguments, whose it is, what it does).
_FUNCTIONS: dict[str, tuple[int, int, Literal["host", "device", ""], Callable[[Frame, tree.Call], Operand]]] = {
    "atomic_thread_fence": (1, 2, "", _fence),
    "__threadfence_block": (0, 0, "device", _emits(ir.Fence(ir.Order.SEQ_CST, ir.Scope.BLOCK))),
    "__threadfence": (0, 0, "device", _emits(ir.Fence(ir.Order.SEQ_CST, ir.Scope.DEVICE))),
    "__threadfence_system": (0, 0, "device", _emits(ir.Fence(ir.Order.SEQ_CST, ir.Scope.SYSTEM))),
    "__syncthreads": (0, 0, "device", _syncthreads),
    "__syncwarp": (0, 1, "device", _syncwarp),
    "this_thread_block": (0, 0, "device", _this_block),
    "this_thread::yield": (0, 0, "", _emits(ir.Yield())),
    "__nanosleep": (1, 1, "device", _sleep),
    "assert": (1, 1, "", _assert),
    "cudaDeviceSynchronize": (0, 0, "host", _emits(ir.DeviceSynchronize(), _SUCCESS)),
    "cudaStreamCreate": (1, 1, "host", _stream_create),
    "cudaStreamCreateWithFlags": (2, 2, "host", _stream_create),
    "cudaStreamQuery": (1, 1, "host", _stream_query),
    "cudaStreamSynchronize": (1, 1, "host", _stream_synchronize),
    "cudaHostRegister": (2, 3, "host", _host_register),
}
