"""CUDA API calls on devices, streams and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import expressions, lvalues, objects
from scopec.frontends.scoped.lower.context import outside
from scopec.frontends.scoped.lower.operands import (
    Computed,
    Event,
    Operand,
    Pointer,
    Stream,
    StreamHandle,
    Variable,
    describe,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, types, values
from scopec.program.streams import LAUNCH_FAILURE, last_error_name
from scopec.program.values import Const, Reg

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame

#: Calls are taken to succeed (language note), so their result is cudaSuccess, but for :func:`result`.
SUCCESS = Computed(Const(0, types.INT))


def result(frame: Frame, span: Span) -> Operand:
    """What a call returns where a kernel may have been aborted before.

    "This leaves the process in an inconsistent state and any further CUDA work will return the same error" (CUDA
    runtime API).  Only a program that calls ``__trap`` has an object for that.
    """
    if not frame.world.aborts:
        return SUCCESS
    mode = ir.Mode(ir.Order.ACQUIRE, ir.Scope.SYSTEM)
    return Computed(lvalues.load(frame, _last_error(frame, span).place, types.INT, mode, span))


def fail(frame: Frame, span: Span) -> None:
    """A kernel is aborted: calls that come after return an error."""
    frame.world.found_abort = True
    mode = ir.Mode(ir.Order.RELEASE, ir.Scope.SYSTEM)
    lvalues.store(frame, _last_error(frame, span).place, Const(LAUNCH_FAILURE, types.INT), mode, span)
    frame.emit(ir.Trap(), span)


def _last_error(frame: Frame, span: Span) -> Variable:
    errors = frame.world.errors
    if frame.device not in errors:
        errors[frame.device] = objects.passed(frame, last_error_name(frame.device), types.INT, span)
    return errors[frame.device]


def stream_operand(frame: Frame, expr: tree.Expr) -> ir.Stream:
    """The stream that an expression denotes; ``0`` is the legacy default stream.

    InputError if it is not a stream, or one that has not been created yet.
    """
    return as_stream(frame, expressions.lower_operand(frame, expr), expr.span)


def as_stream(frame: Frame, operand: Operand, span: Span) -> ir.Stream:
    """The stream that an operand stands for."""
    match operand:
        case StreamHandle(stream):
            return stream
        case Computed(Const(0, _)) | Pointer(None):
            return ir.legacy_stream(frame.device)
        case Stream(name) if name in frame.world.streams:
            return frame.world.streams[name]
        case Stream(name):
            message = f"stream `{name}` is used before it is created"
            raise error(Code.UNINITIALISED, message, span, f"call cudaStreamCreate(&{name}) first")
        case _:
            raise error(Code.TYPE_ERROR, f"a stream is wanted here, not {describe(operand)}", span)


def _reported(frame: Frame, ready: Reg, span: Span) -> Operand:
    """What a query returns: the error, if there is one, or whether the work is complete."""
    failed = result(frame, span)
    if failed is SUCCESS:
        return Computed(ready)
    assert isinstance(failed, Computed)
    return Computed(values.choose(values.binary("!=", failed.value, Const(0, types.INT)), failed.value, ready))


def _event(frame: Frame, expr: tree.Expr) -> str:
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


def flags(frame: Frame, arguments: tuple[tree.Expr, ...]) -> int:
    """The value of an optional argument of flags."""
    return expressions.constant(frame, arguments[0], "a flag") if arguments else 0


# ---------------------------------------------------------------- devices


def device_synchronize(frame: Frame, call: tree.Call) -> Operand:
    """``cudaDeviceSynchronize()``."""
    frame.emit(ir.DeviceSynchronize(frame.device), call.span)
    return result(frame, call.span)


def set_device(frame: Frame, call: tree.Call) -> Operand:
    """The current device is a constant of each place in the host's code, so it is set outside branches and loops."""
    device = device_number(frame, call.arguments[0])
    if frame.nesting:
        raise outside("cudaSetDevice under a condition or in a loop is", call.span, "call it in straight code")
    frame.device = device
    frame.emit(ir.ApiCall("cudaSetDevice"), call.span)
    return SUCCESS


def device_number(frame: Frame, expr: tree.Expr) -> int:
    """A device's number."""
    device = expressions.constant(frame, expr, "a device number")
    if not 0 <= device < 16:
        raise error(Code.BAD_ARGUMENTS, f"there is no device {device}", expr.span, "use 0 to 15")
    return device


#: What every device has that scopec stands for, by the attribute that asks for it.
_ATTRIBUTES = {
    "cudaDevAttrCooperativeLaunch": 1, "cudaDevAttrClusterLaunch": 1, "cudaDevAttrWarpSize": 32,
    "cudaDevAttrUnifiedAddressing": 1, "cudaDevAttrManagedMemory": 1, "cudaDevAttrCanMapHostMemory": 1,
}  # fmt: skip


def enable_peer_access(frame: Frame, call: tree.Call) -> Operand:
    """``cudaDeviceEnablePeerAccess(device, flags)``."""
    device_number(frame, call.arguments[0])
    frame.emit(ir.ApiCall("cudaDeviceEnablePeerAccess"), call.span)
    return SUCCESS


# ---------------------------------------------------------------- streams


def stream_create(frame: Frame, call: tree.Call) -> Operand:
    """``cudaStreamCreate(&stream)``, ``cudaStreamCreateWithFlags``, ``cudaStreamCreateWithPriority``."""
    target = expressions.lower_operand(frame, call.arguments[0])
    if not (isinstance(target, Pointer) and isinstance(target.target, Stream)):
        raise error(Code.TYPE_ERROR, "the address of a cudaStream_t is wanted here", call.arguments[0].span)
    name = target.target.name
    if name in frame.world.streams:
        raise outside(f"a stream variable that is created twice (`{name}`) is", call.span, "use one variable a stream")
    if frame.nesting:
        raise outside("a stream that is created under a condition or in a loop is", call.span)
    kind: Literal["blocking", "non-blocking"] = "non-blocking" if flags(frame, call.arguments[1:2]) else "blocking"
    frame.world.streams[name] = ir.Stream(name, kind, frame.device)
    frame.emit(ir.ApiCall("cudaStreamCreate"), call.span)
    return SUCCESS


def stream_query(frame: Frame, call: tree.Call) -> Operand:
    """``cudaStreamQuery(stream)``."""
    stream = stream_operand(frame, call.arguments[0])
    ready = frame.temporary(types.INT)
    frame.emit(ir.StreamQuery(ready.name, stream.name), call.span)
    return _reported(frame, ready, call.span)


def stream_synchronize(frame: Frame, call: tree.Call) -> Operand:
    """``cudaStreamSynchronize(stream)``."""
    frame.emit(ir.StreamSynchronize(stream_operand(frame, call.arguments[0]).name), call.span)
    return result(frame, call.span)


def stream_wait(frame: Frame, call: tree.Call) -> Operand:
    """``cudaStreamWaitEvent(stream, event, flags)``."""
    stream = stream_operand(frame, call.arguments[0])
    flags(frame, call.arguments[2:])
    frame.emit(ir.EventWait(_event(frame, call.arguments[1]), stream.name), call.span)
    return SUCCESS


# ---------------------------------------------------------------- events


def event_create(frame: Frame, call: tree.Call) -> Operand:
    """``cudaEventCreate(&event)``, ``cudaEventCreateWithFlags``."""
    target = expressions.lower_operand(frame, call.arguments[0])
    if not (isinstance(target, Pointer) and isinstance(target.target, Event)):
        raise error(Code.TYPE_ERROR, "the address of a cudaEvent_t is wanted here", call.arguments[0].span)
    name = target.target.name
    if name in frame.world.events:
        raise outside(f"an event variable that is created twice (`{name}`) is", call.span, "use one variable an event")
    flags(frame, call.arguments[1:])
    frame.world.events[name] = call.span
    frame.emit(ir.ApiCall("cudaEventCreate"), call.span)
    return SUCCESS


def event_record(frame: Frame, call: tree.Call) -> Operand:
    """``cudaEventRecord(event, stream)``."""
    event = _event(frame, call.arguments[0])
    stream = stream_operand(frame, call.arguments[1]) if len(call.arguments) > 1 else ir.legacy_stream(frame.device)
    frame.emit(ir.EventRecord(event, stream.name), call.span)
    return SUCCESS


def event_synchronize(frame: Frame, call: tree.Call) -> Operand:
    """``cudaEventSynchronize(event)``."""
    frame.emit(ir.EventSynchronize(_event(frame, call.arguments[0])), call.span)
    return result(frame, call.span)


def event_query(frame: Frame, call: tree.Call) -> Operand:
    """``cudaEventQuery(event)``."""
    ready = frame.temporary(types.INT)
    frame.emit(ir.EventQuery(ready.name, _event(frame, call.arguments[0])), call.span)
    return _reported(frame, ready, call.span)
