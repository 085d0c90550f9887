"""CUDA API calls of host code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from scopec.diagnostics import Code, error
from scopec.program import ir, types
from scopec.program.lower import expressions
from scopec.program.lower.operands import (
    Array,
    Atomic,
    Computed,
    Event,
    Operand,
    Pointer,
    Stream,
    StreamHandle,
    Variable,
    describe,
)
from scopec.program.values import Const

if TYPE_CHECKING:
    from scopec.program.lower.context import Frame
    from scopec.source import Span
    from scopec.syntax import tree

#: Calls are taken to succeed (language note), so their result is cudaSuccess.
_SUCCESS = Computed(Const(0, types.INT))
_FLAGS = {"cudaStreamDefault": 0, "cudaStreamNonBlocking": 1}
_IGNORED_FLAGS = (
    "cudaHostRegisterDefault", "cudaHostRegisterMapped", "cudaHostRegisterPortable",
    "cudaEventDefault", "cudaEventBlockingSync", "cudaEventDisableTiming", "cudaEventWaitDefault",
)  # fmt: skip


def stream_operand(frame: Frame, expr: tree.Expr) -> ir.Stream:
    """The stream that an expression denotes; ``0`` is the legacy default stream.

    InputError if it is not a stream, or one that has not been created yet.
    """
    operand = expressions.lower_operand(frame, expr)
    match operand:
        case StreamHandle(stream):
            return stream
        case Computed(Const(0, _)):
            return ir.legacy_stream(frame.device)
        case Stream(name) if name in frame.world.streams:
            return frame.world.streams[name]
        case Stream(name):
            message = f"stream `{name}` is used before it is created"
            raise error(Code.UNINITIALISED, message, expr.span, f"call cudaStreamCreate(&{name}) first")
        case _:
            raise error(Code.TYPE_ERROR, f"a stream is wanted here, not {describe(operand)}", expr.span)


def _event_operand(frame: Frame, expr: tree.Expr) -> str:
    """The event that an expression denotes; InputError if it is none, or has not been created."""
    operand = expressions.lower_operand(frame, expr)
    match operand:
        case Event(name) if name in frame.world.events:
            return name
        case Event(name):
            message = f"event `{name}` is used before it is created"
            raise error(Code.UNINITIALISED, message, expr.span, f"call cudaEventCreate(&{name}) first")
        case _:
            raise error(Code.TYPE_ERROR, f"an event is wanted here, not {describe(operand)}", expr.span)


def _event_create(frame: Frame, call: tree.Call) -> Operand:
    target = expressions.lower_operand(frame, call.arguments[0])
    if not (isinstance(target, Pointer) and isinstance(target.target, Event)):
        raise error(Code.TYPE_ERROR, "the address of a cudaEvent_t is wanted here", call.arguments[0].span)
    if target.target.name in frame.world.events:
        message = f"event `{target.target.name}` is created twice"
        raise error(Code.OUTSIDE_SUBSET, message, call.span, "use one variable an event")
    for flag in call.arguments[1:]:
        _flags(frame, flag)
    frame.world.events[target.target.name] = call.span
    frame.emit(ir.ApiCall("cudaEventCreate"), call.span)
    return _SUCCESS


def _event_destroy(frame: Frame, call: tree.Call) -> Operand:
    _event_operand(frame, call.arguments[0])
    frame.emit(ir.ApiCall("cudaEventDestroy"), call.span)
    return _SUCCESS


def _event_record(frame: Frame, call: tree.Call) -> Operand:
    event = _event_operand(frame, call.arguments[0])
    stream = stream_operand(frame, call.arguments[1]) if len(call.arguments) > 1 else ir.legacy_stream(frame.device)
    frame.emit(ir.EventRecord(event, stream.name), call.span)
    return _SUCCESS


def _event_synchronize(frame: Frame, call: tree.Call) -> Operand:
    frame.emit(ir.EventSynchronize(_event_operand(frame, call.arguments[0])), call.span)
    return _SUCCESS


def _event_query(frame: Frame, call: tree.Call) -> Operand:
    result = frame.temporary(types.INT)
    frame.emit(ir.EventQuery(result.name, _event_operand(frame, call.arguments[0])), call.span)
    return Computed(result)


def _stream_wait(frame: Frame, call: tree.Call) -> Operand:
    stream = stream_operand(frame, call.arguments[0])
    for flag in call.arguments[2:]:
        _flags(frame, flag)
    frame.emit(ir.EventWait(_event_operand(frame, call.arguments[1]), stream.name), call.span)
    return _SUCCESS


def _stream_synchronize(frame: Frame, call: tree.Call) -> Operand:
    frame.emit(ir.StreamSynchronize(stream_operand(frame, call.arguments[0]).name), call.span)
    return _SUCCESS


def _device_synchronize(frame: Frame, call: tree.Call) -> Operand:
    frame.emit(ir.DeviceSynchronize(frame.device), call.span)
    return _SUCCESS


def _set_device(frame: Frame, call: tree.Call) -> Operand:
    """The current device is a constant of each place in the host's code, so it is set outside branches and loops."""
    device = expressions.constant(frame, call.arguments[0], "a device number")
    if not 0 <= device < 16:
        raise error(Code.BAD_ARGUMENTS, f"there is no device {device}", call.arguments[0].span, "use 0 to 15")
    if len(frame.scopes) > 2 or frame.loops:
        message = "cudaSetDevice under a condition or in a loop is outside the modelled subset"
        raise error(Code.OUTSIDE_SUBSET, message, call.span, "call it in the body of main")
    frame.device = device
    frame.emit(ir.ApiCall("cudaSetDevice"), call.span)
    return _SUCCESS


def _stream_query(frame: Frame, call: tree.Call) -> Operand:
    stream = stream_operand(frame, call.arguments[0])
    result = frame.temporary(types.INT)
    frame.emit(ir.StreamQuery(result.name, stream.name), call.span)
    return Computed(result)


def _stream_create(frame: Frame, call: tree.Call) -> Operand:
    target = expressions.lower_operand(frame, call.arguments[0])
    if not (isinstance(target, Pointer) and isinstance(target.target, Stream)):
        raise error(Code.TYPE_ERROR, "the address of a cudaStream_t is wanted here", call.arguments[0].span)
    name = target.target.name
    if name in frame.world.streams:
        raise error(Code.OUTSIDE_SUBSET, f"stream `{name}` is created twice", call.span, "use one variable a stream")
    non_blocking = len(call.arguments) > 1 and _flags(frame, call.arguments[1])
    kind: Literal["blocking", "non-blocking"] = "non-blocking" if non_blocking else "blocking"
    frame.world.streams[name] = ir.Stream(name, kind, frame.device)
    frame.emit(ir.ApiCall("cudaStreamCreate"), call.span)
    return _SUCCESS


def _flags(frame: Frame, expr: tree.Expr) -> int:
    from scopec.syntax import tree

    if isinstance(expr, tree.Name):
        if expr.name in _FLAGS:
            return _FLAGS[expr.name]
        if expr.name in _IGNORED_FLAGS:
            return 0
    return expressions.constant(frame, expr, "a flag")


def _stream_destroy(frame: Frame, call: tree.Call) -> Operand:
    stream_operand(frame, call.arguments[0])
    frame.emit(ir.ApiCall("cudaStreamDestroy"), call.span)
    return _SUCCESS


def _host_register(frame: Frame, call: tree.Call) -> Operand:
    """Registered host memory is mapped memory: the object's storage changes, for the whole program."""
    target = expressions.lower_operand(frame, call.arguments[0])
    name = _object_name(target, call.arguments[0].span)
    object_ = frame.world.objects[name]
    if object_.storage not in (ir.Storage.SYSTEM, ir.Storage.MAPPED):
        message = f"cudaHostRegister takes host memory, `{name}` is {object_.storage.value} memory"
        raise error(Code.TYPE_ERROR, message, call.arguments[0].span)
    size = expressions.constant(frame, call.arguments[1], "the size")
    whole = object_.size * len(object_.values)
    if size < whole:
        message = f"{size} of the {whole} bytes of `{name}` are registered"
        raise error(Code.OUTSIDE_SUBSET, message, call.arguments[1].span, "register the whole object")
    if len(call.arguments) > 2:
        _flags(frame, call.arguments[2])
    frame.world.objects[name] = replace(object_, storage=ir.Storage.MAPPED)
    frame.emit(ir.ApiCall("cudaHostRegister"), call.span)
    return _SUCCESS


def _object_name(operand: Operand, span: Span) -> str:
    match operand:
        case Pointer(Variable(place, _, _) | Atomic(place, _, _)):
            return place.object
        case Pointer(Array(name)) | Array(name):
            return name
        case _:
            raise error(Code.TYPE_ERROR, "the address of an object is wanted here", span)


def _nothing(name: str) -> Callable[[Frame, tree.Call], Operand]:
    def handler(frame: Frame, call: tree.Call) -> Operand:
        frame.emit(ir.ApiCall(name), call.span)
        return _SUCCESS

    return handler


#: Name: (fewest arguments, most arguments, what it does).
FUNCTIONS: dict[str, tuple[int, int, Callable[[Frame, tree.Call], Operand]]] = {
    "cudaDeviceSynchronize": (0, 0, _device_synchronize),
    "cudaSetDevice": (1, 1, _set_device),
    "cudaStreamQuery": (1, 1, _stream_query),
    "cudaStreamCreate": (1, 1, _stream_create),
    "cudaStreamCreateWithFlags": (2, 2, _stream_create),
    "cudaStreamDestroy": (1, 1, _stream_destroy),
    "cudaStreamSynchronize": (1, 1, _stream_synchronize),
    "cudaStreamWaitEvent": (2, 3, _stream_wait),
    "cudaEventCreate": (1, 1, _event_create),
    "cudaEventCreateWithFlags": (2, 2, _event_create),
    "cudaEventDestroy": (1, 1, _event_destroy),
    "cudaEventRecord": (1, 2, _event_record),
    "cudaEventSynchronize": (1, 1, _event_synchronize),
    "cudaEventQuery": (1, 1, _event_query),
    "cudaHostRegister": (2, 3, _host_register),
    "cudaHostUnregister": (1, 1, _nothing("cudaHostUnregister")),
    "cudaGetLastError": (0, 0, _nothing("cudaGetLastError")),
    "cudaPeekAtLastError": (0, 0, _nothing("cudaPeekAtLastError")),
}


def lower_api(frame: Frame, call: tree.Call, name: str) -> Operand:
    """Lower a call of the CUDA runtime API."""
    least, most, handler = FUNCTIONS[name]
    if not frame.host:
        raise error(Code.TYPE_ERROR, f"`{name}` is a function of the host", call.span)
    if not least <= len(call.arguments) <= most:
        wanted = str(least) if least == most else f"{least} or {most}"
        message = f"`{name}` takes {wanted} arguments, {len(call.arguments)} given"
        raise error(Code.BAD_ARGUMENTS, message, call.span)
    return handler(frame, call)
