"""Host threads: ``std::thread`` and ``std::jthread``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import calls, expressions, functions, lvalues, objects, resolve, streams
from scopec.frontends.scoped.lower.context import Call, outside
from scopec.frontends.scoped.lower.cpp_types import HandleType, ReferenceType, VoidType
from scopec.frontends.scoped.lower.operands import (
    Computed,
    Function,
    HostThread,
    Nothing,
    Operand,
    Pointer,
    PointerVariable,
    Register,
    Text,
    describe,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, values
from scopec.program.values import Const

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame


def declare(frame: Frame, name: str, type_: HandleType, given: tuple[tree.Expr, ...], span: Span) -> HostThread:
    """A variable of type ``std::thread`` or ``std::jthread``, with the thread that its initialiser creates."""
    _host_only(frame, span)
    made = create(frame, type_, given, span, name) if given else HostThread(name, type_.name == "jthread")
    at_the_end(frame, made, span)
    return made


def _host_only(frame: Frame, span: Span) -> None:
    if not frame.host:
        raise error(Code.TYPE_ERROR, "threads are created by host code", span)


def at_the_end(frame: Frame, variable: HostThread, span: Span) -> None:
    """What the end of a variable's block does: a ``jthread`` joins its thread."""

    def cleanup(inside: Frame) -> None:
        if variable.thread is None or not inside.builder.reachable:
            return
        if not variable.joins:
            message = f"`{variable.name}` is destroyed before its thread is joined, which ends the program"
            raise error(Code.TYPE_ERROR, message, span, f"call {variable.name}.join()")
        inside.emit(ir.JoinThread(variable.thread), span)

    frame.scopes[-1].cleanups.append(cleanup)


def create(frame: Frame, type_: HandleType, given: tuple[tree.Expr, ...], span: Span, name: str | None) -> HostThread:
    """Create a thread that runs a function with arguments; returns the variable that holds it."""
    _host_only(frame, span)
    if not given:
        return HostThread(name or "thread", type_.name == "jthread")
    if frame.loops and any(loop.again is not None for loop in frame.loops) and frame.nesting:
        raise outside("a thread that is created in a loop of unknown length is", span, "create the threads one by one")
    own = _unique(frame, name or "thread")
    callee = expressions.lower_operand(frame, given[0])
    operands = [expressions.lower_operand(frame, a) for a in given[1:]]
    spans = [a.span for a in given[1:]]
    body = _body(frame, own, callee, operands, spans, given[0].span)
    frame.world.others.append(ir.Thread(own, body))
    frame.emit(ir.CreateThread(own), span)
    return HostThread(name or own, type_.name == "jthread", own)


def launch_host_function(frame: Frame, call: tree.Call) -> Operand:
    """``cudaLaunchHostFunc(stream, function, data)``: work of the stream, which a thread of the host executes."""
    in_stream, function, data = call.arguments
    if frame.loops and any(loop.again is not None for loop in frame.loops) and frame.nesting:
        raise outside("a host function that is launched in a loop is", call.span, "launch them one by one")
    stream = streams.stream_operand(frame, in_stream)
    callee = expressions.lower_operand(frame, function)
    own = _unique(frame, callee.name if isinstance(callee, Function) else "host function")
    body = _body(frame, own, callee, [expressions.lower_operand(frame, data)], [data.span], function.span)
    one = ir.Dim()
    grid = ir.Grid(own, own, call.span, one, one, stream, body, stream.device, work=ir.Work.HOST_FUNCTION)
    frame.world.grids[own] = grid
    frame.emit(ir.LaunchGrid(own), call.span)
    return streams.SUCCESS


def _unique(frame: Frame, name: str) -> str:
    taken = {t.name for t in frame.world.others} | {"main", *frame.world.grids}
    unique, number = name, 2
    while unique in taken:
        unique, number = f"{name}#{number}", number + 1
    return unique


def _body(frame: Frame, own: str, callee: Operand, operands: list[Operand], spans: list[Span], span: Span) -> ir.Body:
    """The graph of the thread: its arguments are passed through memory where they are not constants.

    cudaSetDevice sets "the current device for the calling host thread" (CUDA runtime API): a new thread's is device 0.
    """
    from scopec.frontends.scoped.lower.context import Frame as NewFrame

    if not isinstance(callee, Function):
        raise error(Code.TYPE_ERROR, f"a function is wanted here, not {describe(callee)}", span)
    definition = callee.definition
    if len(definition.parameters) != len(operands):
        message = f"`{definition.name}` has {len(definition.parameters)} parameters, {len(operands)} arguments given"
        raise error(Code.BAD_ARGUMENTS, message, span)
    inner = NewFrame(frame.world, own, host=True, call=Call(definition.name, VoidType()))
    inner.registered = set(frame.registered)
    bound: list[Operand] = []
    for parameter, operand, at in zip(definition.parameters, operands, spans, strict=True):
        type_ = resolve.resolve(frame, parameter.type)
        by_reference = isinstance(type_, ReferenceType) and not isinstance(operand, (Computed, Register))
        known = functions.bind_parameter(frame, parameter, type_, operand, at)
        bound.append(known if by_reference else passed(frame, inner, known, f"{own}.{parameter.name}", at))
    return functions.lower_thread_body(inner, definition, bound)


def passed(frame: Frame, inner: Frame, operand: Operand, name: str, span: Span) -> Operand:
    """A value that another thread starts with: a constant, or one that is handed over in an object of its own."""
    match operand:
        case Computed(Const(), _) | Pointer() | Text():
            return operand
        case Computed(value, pointee):
            hidden = objects.passed(frame, name, value.type, span)
            lvalues.assign(frame, hidden, Computed(value), span)
            read = lvalues.to_value(inner, hidden, span)
            return Computed(read, pointee)
        case PointerVariable():
            return lvalues.settle(operand, span)
        case _:
            return operand


# ---------------------------------------------------------------- members


def member(frame: Frame, call: tree.Call, target: HostThread, name: str) -> Operand:
    """Lower a call of a member function of a thread."""
    match name:
        case "join":
            calls.arguments_of(call, 0, 0)
            if target.thread is None:
                raise error(Code.TYPE_ERROR, f"`{target.name}` holds no thread to join", call.span)
            if frame.nesting:
                raise outside("a join under a condition or in a loop of unknown length is", call.span)
            frame.emit(ir.JoinThread(target.thread), call.span)
            target.thread = None
            return Nothing()
        case "joinable":
            calls.arguments_of(call, 0, 0)
            return Computed(values.TRUE if target.thread is not None else values.FALSE)
        case "detach":
            calls.arguments_of(call, 0, 0)
            target.thread = None
            return Nothing()
        case _:
            raise error(Code.UNMODELLED_CALL, f"scopec does not model a thread's `{name}`", call.span)


# ---------------------------------------------------------------- stop sources and tokens
