"""Host threads: ``std::thread``, ``std::jthread``, vectors of them, and stop tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import calls, expressions, functions, lvalues, objects, resolve, streams
from scopec.frontends.scoped.lower.context import Block, Call, outside
from scopec.frontends.scoped.lower.cpp_types import HandleType, ReferenceType, VoidType
from scopec.frontends.scoped.lower.operands import (
    Atomic,
    Closure,
    Computed,
    Elements,
    Fields,
    Function,
    HostThread,
    Nothing,
    Operand,
    Pointer,
    PointerVariable,
    Register,
    StopState,
    Structure,
    Text,
    Variable,
    describe,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, types, values
from scopec.program.types import BOOL
from scopec.program.values import Const

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame


def declare(frame: Frame, name: str, type_: HandleType, given: tuple[tree.Expr, ...], span: Span) -> HostThread:
    """A variable of type ``std::thread`` or ``std::jthread``, with the thread that its initialiser creates."""
    _host_only(frame, span)
    if len(given) == 1:
        operand = _thread_operand(frame, given[0])
        if operand is not None:  # moved from another variable
            made = HostThread(name, type_.name == "jthread")
            at_the_end(frame, made, span)
            lvalues.assign(frame, made, operand, span)
            return made
    made = create(frame, type_, given, span, name) if given else HostThread(name, type_.name == "jthread")
    at_the_end(frame, made, span)
    return made


def _thread_operand(frame: Frame, expr: tree.Expr) -> HostThread | None:
    """The thread that an expression hands over: ``std::thread(…)``, ``std::move(t)``."""
    if isinstance(expr, (tree.Construct, tree.Call)) and isinstance(
        operand := expressions.peek(frame, expr), HostThread
    ):
        found = expressions.lower_operand(frame, expr)
        assert isinstance(found, HostThread)
        assert isinstance(operand, HostThread)
        return found
    return None


def _host_only(frame: Frame, span: Span) -> None:
    if not frame.host:
        raise error(Code.TYPE_ERROR, "threads are created by host code", span)


def at_the_end(frame: Frame, variable: HostThread, span: Span) -> None:
    """What the end of a variable's block does: a ``jthread`` asks its thread to stop and joins it."""

    def cleanup(inside: Frame) -> None:
        if variable.thread is None or not inside.builder.reachable:
            return
        if not variable.joins:
            message = f"`{variable.name}` is destroyed before its thread is joined, which ends the program"
            raise error(Code.TYPE_ERROR, message, span, f"call {variable.name}.join()")
        if variable.stop is not None:
            _request_stop(inside, variable.stop, span)
        inside.emit(ir.JoinThread(variable.thread), span)

    frame.scopes[-1].cleanups.append(cleanup)


def create(frame: Frame, type_: HandleType, given: tuple[tree.Expr, ...], span: Span, name: str | None) -> HostThread:
    """Create a thread that runs a function or lambda with arguments; returns the variable that holds it."""
    _host_only(frame, span)
    if not given:
        return HostThread(name or "thread", type_.name == "jthread")
    if frame.loops and any(loop.again is not None for loop in frame.loops) and frame.nesting:
        raise outside("a thread that is created in a loop of unknown length is", span, "create the threads one by one")
    own = _unique(frame, name or "thread")
    callee = expressions.lower_operand(frame, given[0])
    stop = None
    operands = [expressions.lower_operand(frame, a) for a in given[1:]]
    spans = [a.span for a in given[1:]]
    if type_.name == "jthread" and _takes_token(frame, callee, len(operands)):
        stop = _new_flag(frame, f"{own}.stop", span)
        operands.insert(0, StopState(stop))
        spans.insert(0, span)
    body = _body(frame, own, callee, operands, spans, given[0].span)
    frame.world.others.append(ir.Thread(own, body))
    frame.emit(ir.CreateThread(own), span)
    return HostThread(name or own, type_.name == "jthread", own, stop)


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


def _definition(callee: Operand) -> tree.Function | None:
    match callee:
        case Function(overloads=(overload, *_)):
            return overload.on_host or overload.definition
        case Closure():
            return functions.function_of(callee)
        case _:
            return None


def _takes_token(frame: Frame, callee: Operand, given: int) -> bool:
    """Whether the function of a ``jthread`` begins with a stop token that is not among the arguments."""
    definition = _definition(callee)
    if definition is None or len(definition.parameters) != given + 1:
        return False
    type_ = resolve.resolve(frame, definition.parameters[0].type)
    return isinstance(type_, HandleType) and type_.name == "stop_token"


def _body(frame: Frame, own: str, callee: Operand, operands: list[Operand], spans: list[Span], span: Span) -> ir.Body:
    """The graph of the thread: its arguments are passed through memory where they are not constants.

    cudaSetDevice sets "the current device for the calling host thread" (CUDA runtime API): a new thread's is device 0.
    """
    from scopec.frontends.scoped.lower.context import Frame as NewFrame

    scopes: tuple[dict[str, Operand], ...] = ()
    match callee:
        case Function(name, overloads, this):
            fitting = [o for o in overloads if len((o.on_host or o.definition).parameters) == len(operands)]
            if not fitting:
                raise error(Code.BAD_ARGUMENTS, f"`{name}` does not take {len(operands)} arguments", span)
            overload = fitting[0]
            definition, space = overload.on_host or overload.definition, overload.space
            this_object = this
        case Closure(scopes=names_around, this=closure_this):
            definition = functions.function_of(callee)
            space, scopes, this_object = frame.space, names_around, closure_this
        case Structure() | Fields():
            raise outside("a thread that runs an object of a class is", span, "use a lambda")
        case _:
            raise error(Code.TYPE_ERROR, f"a function or lambda is wanted here, not {describe(callee)}", span)
    if definition.template is not None:
        raise outside("a thread that runs a template is", span, "use a lambda")
    if len(definition.parameters) != len(operands):
        message = f"`{definition.name}` has {len(definition.parameters)} parameters, {len(operands)} arguments given"
        raise error(Code.BAD_ARGUMENTS, message, span)
    inner = NewFrame(frame.world, own, host=True, call=Call(definition.name, VoidType(), space, this_object))
    inner.registered = set(frame.registered)
    bound: list[Operand] = []
    for parameter, operand, at in zip(definition.parameters, operands, spans, strict=True):
        type_ = resolve.resolve(resolve.in_space(frame, space), parameter.type)
        by_reference = isinstance(type_, ReferenceType) and not isinstance(operand, (Computed, Register))
        known = functions.bind_parameter(frame, parameter, type_, operand, at)
        bound.append(known if by_reference else passed(frame, inner, known, f"{own}.{parameter.name}", at))
    captured = tuple(Block(_captured(frame, inner, names, own, span)) for names in scopes)
    return functions.lower_thread_body(inner, definition, space, bound, captured)


def passed(frame: Frame, inner: Frame, operand: Operand, name: str, span: Span) -> Operand:
    """A value that another thread starts with: a constant, or one that is handed over in an object of its own."""
    match operand:
        case Computed(Const(), _) | Pointer() | StopState() | Text():
            return operand
        case Computed(value, pointee):
            hidden = objects.passed(frame, name, value.type, span)
            lvalues.assign(frame, hidden, Computed(value), span)
            read = lvalues.to_value(inner, hidden, span)
            return Computed(read, pointee)
        case PointerVariable():
            return lvalues.settle(operand, span)
        case Fields(type_, members):
            return Fields(
                type_, {n: passed(frame, inner, functions.by_value(frame, o, span), f"{name}.{n}", span)
                        for n, o in members.items()}
            )  # fmt: skip
        case _:
            return operand


def _captured(frame: Frame, inner: Frame, names: dict[str, Operand], own: str, span: Span) -> dict[str, Operand]:
    """The names that a lambda sees, as the thread that runs it sees them."""
    found: dict[str, Operand] = {}
    for name, operand in names.items():
        match operand:
            case Computed(value, _) if not isinstance(value, Const):
                found[name] = passed(frame, inner, operand, f"{own}.{name}", span)
            case Register():
                continue  # not captured by reference, or it would be in memory
            case PointerVariable(binding=binding) if binding is not None:
                found[name] = binding
            case _:
                found[name] = operand
    return found


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
        case "request_stop" | "get_stop_source" | "get_stop_token" if target.joins:
            calls.arguments_of(call, 0, 0)
            if target.stop is None:
                target.stop = _new_flag(frame, f"{target.name}.stop", call.span)
            if name == "request_stop":
                return _request_stop(frame, target.stop, call.span)
            return StopState(target.stop)
        case _:
            raise error(Code.UNMODELLED_CALL, f"scopec does not model a thread's `{name}`", call.span)


def vector_member(frame: Frame, call: tree.Call, target: Elements, name: str) -> Operand:
    """Lower a call of a member function of a vector of threads."""
    match name:
        case "reserve" | "shrink_to_fit":
            return Nothing()
        case "size":
            return Computed(Const(len(target.items), types.ULONG))
        case "emplace_back" | "push_back":
            if frame.nesting:
                raise outside("a thread that is created under a condition or in a loop of unknown length is", call.span)
            own = f"{target.name}[{len(target.items)}]"
            moved = _thread_operand(frame, call.arguments[0]) if len(call.arguments) == 1 else None
            made = moved or create(frame, HandleType("thread"), call.arguments, call.span, own)
            held = HostThread(own, made.joins, made.thread, made.stop)
            target.items.append(held)
            return held
        case "clear":
            for item in target.items:
                if isinstance(item, HostThread) and item.thread is not None and item.joins:
                    frame.emit(ir.JoinThread(item.thread), call.span)
            target.items.clear()
            return Nothing()
        case "back":
            return target.items[-1]
        case _:
            raise error(Code.UNMODELLED_CALL, f"scopec does not model a vector's `{name}`", call.span)


# ---------------------------------------------------------------- stop sources and tokens


def _new_flag(frame: Frame, name: str, span: Span) -> Atomic:
    """The flag that a stop source and its tokens share.

    [thread.stoptoken.intro]/5: a ``request_stop`` that returns true synchronises with a ``stop_requested`` that does,
    and calls of the members do not race.
    """
    flag = objects.declare(frame, name, BOOL, ir.Storage.SYSTEM, span)
    assert isinstance(flag, Variable)
    known = frame.world.objects
    known[flag.place.object] = replace(known[flag.place.object], use=ir.Use.STOP)
    return Atomic(flag.place, BOOL, ir.Scope.SYSTEM)


def stop_state(frame: Frame, name: str, type_: HandleType, given: tuple[tree.Expr, ...], span: Span) -> Operand:
    """A variable of type ``std::stop_source`` or ``std::stop_token``."""
    if given:
        operand = expressions.lower_operand(frame, given[0])
        if not isinstance(operand, StopState):
            raise error(Code.TYPE_ERROR, f"a stop source or token is wanted here, not {describe(operand)}", span)
        return operand
    if type_.name == "stop_token":
        raise outside("a stop token without a source is", span)
    return StopState(_new_flag(frame, f"{frame.prefix}.{name}", span))


def stop_member(frame: Frame, call: tree.Call, target: StopState, name: str) -> Operand:
    """Lower a call of a member function of a stop source or token."""
    calls.arguments_of(call, 0, 0)
    match name:
        case "get_token":
            return target
        case "request_stop":
            return _request_stop(frame, target.flag, call.span)
        case "stop_requested":
            mode = ir.Mode(ir.Order.ACQUIRE, ir.Scope.SYSTEM)
            return Computed(lvalues.load(frame, target.flag.place, BOOL, mode, call.span))
        case "stop_possible":
            return Computed(values.TRUE)
        case _:
            raise error(Code.UNMODELLED_CALL, f"scopec does not model a stop token's `{name}`", call.span)


def _request_stop(frame: Frame, flag: Atomic, span: Span) -> Operand:
    result = frame.temporary(BOOL)
    mode = ir.Mode(ir.Order.ACQ_REL, ir.Scope.SYSTEM)
    frame.emit(ir.Rmw(result.name, flag.place, values.TRUE, mode), span)
    return Computed(values.unary("!", result))
