"""Lowering of calls: the file's own functions, and the libraries' functions that are not the CUDA API."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from scopec.base.diagnostics import Code, error, suggestion
from scopec.frontends.scoped.lower import (
    api,
    atomics,
    barriers,
    conversions,
    expressions,
    functions,
    groups,
    lvalues,
    names,
    streams,
    threads,
)
from scopec.frontends.scoped.lower.context import outside
from scopec.frontends.scoped.lower.operands import (
    Atomic,
    Computed,
    Enumerator,
    Function,
    Group,
    HostThread,
    Nothing,
    Operand,
    PointerVariable,
    Sync,
    Text,
    TypeNamed,
    describe,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, types, values

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame

Handler = Callable[["Frame", tree.Call], Operand]


def lower_call(frame: Frame, call: tree.Call) -> Operand:
    """Lower ``function(arguments)``."""
    match call.function:
        case tree.Member(_, object_, name):
            return _member_call(frame, call, object_, name)
        case tree.Name(span, name, _):
            found = frame.find(name)
            if found is not None:
                return _call_found(frame, found, call, span)
            full = frame.world.globals.library_name(name)
            short = names.unqualified(full)
            handler = _FUNCTIONS.get(full) or _FUNCTIONS.get(short)
            if handler is not None:
                return handler(frame, call)
            if short in atomics.LEGACY:
                return atomics.legacy(frame, call, short)
            if short in groups.FUNCTIONS:
                return groups.make(frame, call, short)
            if name in api.FUNCTIONS:
                return api.lower_api(frame, call, name)
            raise _unknown_function(frame, name, span)
        case _:
            raise outside("a call of this kind is", call.span)


def _call_found(frame: Frame, found: Operand, call: tree.Call, span: Span) -> Operand:
    match found:
        case Function(definition=definition):
            return functions.call(frame, definition, call.arguments, call.span)
        case TypeNamed(type_):
            return conversions.construct(frame, type_, tree.Initialiser(span, call.arguments, list=False), span)
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(found)} cannot be called", call.span)


def _unknown_function(frame: Frame, name: str, span: Span) -> Exception:
    known = [*_FUNCTIONS, *api.FUNCTIONS, *atomics.LEGACY]
    own = [n for n, o in frame.world.globals.names.items() if isinstance(o, Function)]
    return error(Code.UNMODELLED_CALL, f"scopec does not model `{name}`", span, suggestion(name, known + own))


def arguments_of(call: tree.Call, least: int, most: int) -> tuple[tree.Expr, ...]:
    """The arguments of a call; InputError if there are fewer or more."""
    if not least <= len(call.arguments) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        plural = "" if wanted == "1" else "s"
        message = f"{wanted} argument{plural} wanted here, {len(call.arguments)} given"
        raise error(Code.BAD_ARGUMENTS, message, call.span)
    return call.arguments


def order_of(frame: Frame, expr: tree.Expr) -> ir.Order:
    """The memory order that an argument names."""
    operand = expressions.lower_operand(frame, expr)
    if isinstance(operand, Enumerator) and isinstance(operand.value, ir.Order):
        return operand.value
    raise error(Code.TYPE_ERROR, "a memory order is wanted here", expr.span, "such as cuda::memory_order_acquire")


def scope_of(frame: Frame, expr: tree.Expr) -> ir.Scope:
    """The thread scope that an argument names."""
    operand = expressions.lower_operand(frame, expr)
    if isinstance(operand, Enumerator) and isinstance(operand.value, ir.Scope):
        return operand.value
    raise error(Code.TYPE_ERROR, "a thread scope is wanted here", expr.span, "such as cuda::thread_scope_device")


# ---------------------------------------------------------------- members


def _member_call(frame: Frame, call: tree.Call, object_: tree.Expr, name: str) -> Operand:
    target = expressions.lower_operand(frame, object_)
    match target:
        case Atomic():
            return atomics.member(frame, call, target, name)
        case Sync():
            return barriers.member(frame, call, target, name)
        case Group():
            return groups.member(frame, call, target, name)
        case HostThread():
            return threads.member(frame, call, target, name)
        case PointerVariable():
            raise error(Code.TYPE_ERROR, f"`{target.name}` is a pointer", object_.span, "write `->`")
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(target)} has no member functions", call.span)


# ---------------------------------------------------------------- fences, barriers of blocks and warps, waiting


def _device_only(frame: Frame, call: tree.Call, name: str) -> None:
    if frame.host:
        raise error(Code.TYPE_ERROR, f"`{name}` can be called in kernels only", call.span)


def _fence(frame: Frame, call: tree.Call) -> Operand:
    arguments = arguments_of(call, 1, 2)
    order = order_of(frame, arguments[0])
    scope = ir.Scope.SYSTEM
    if len(arguments) == 2:
        assert isinstance(call.function, tree.Name)
        full = frame.world.globals.library_name(call.function.name)
        if full.startswith(("std::", "cuda::std::")):
            raise error(Code.BAD_ARGUMENTS, "only cuda::atomic_thread_fence takes a scope", arguments[1].span)
        scope = scope_of(frame, arguments[1])
    if order is not ir.Order.RELAXED:  # [atomics.fences]: a relaxed fence has no effects
        frame.emit(ir.Fence(order, scope), call.span)
    return Nothing()


def _threadfence(scope: ir.Scope) -> Handler:
    def handler(frame: Frame, call: tree.Call) -> Operand:
        arguments_of(call, 0, 0)
        _device_only(frame, call, "__threadfence")
        frame.emit(ir.Fence(ir.Order.SEQ_CST, scope), call.span)
        return Nothing()

    return handler


def _syncthreads(frame: Frame, call: tree.Call) -> Operand:
    arguments_of(call, 0, 0)
    _device_only(frame, call, "__syncthreads")
    frame.emit(ir.SyncThreads(), call.span)
    return Nothing()


def _syncthreads_vote(function: Literal["count", "and", "or"]) -> Handler:
    def handler(frame: Frame, call: tree.Call) -> Operand:
        (argument,) = arguments_of(call, 1, 1)
        _device_only(frame, call, f"__syncthreads_{function}")
        predicate = expressions.lower_condition(frame, argument)
        result = frame.temporary(types.INT)
        frame.emit(ir.SyncThreads(ir.Vote(result.name, function, predicate)), call.span)
        return Computed(result)

    return handler


def _syncwarp(frame: Frame, call: tree.Call) -> Operand:
    arguments = arguments_of(call, 0, 1)
    _device_only(frame, call, "__syncwarp")
    mask = 0xFFFFFFFF
    if arguments:
        mask = expressions.constant(frame, arguments[0], "the mask of __syncwarp") & mask
    frame.emit(ir.GroupSync(ir.Group.WARP, mask), call.span)
    return Nothing()


def _yield(frame: Frame, call: tree.Call) -> Operand:
    arguments_of(call, 0, 0)
    frame.emit(ir.Yield(), call.span)
    return Nothing()


def _sleep(frame: Frame, call: tree.Call) -> Operand:
    """``sleep_for`` and the like: how long is not modelled, but how the duration is computed is."""
    (duration,) = arguments_of(call, 1, 1)
    _duration(frame, duration)
    frame.emit(ir.Yield(sleeps=True), call.span)
    return Nothing()


def _duration(frame: Frame, expr: tree.Expr) -> None:
    """Evaluate a duration for its effects: a number, ``std::chrono::milliseconds(number)``, sums and products."""
    match expr:
        case tree.Call(_, tree.Name(_, name), (number,)) if names.is_duration(frame.world.globals.library_name(name)):
            expressions.discard(frame, number)
        case tree.Binary(_, "+" | "-" | "*" | "/", left, right):
            _duration(frame, left)
            _duration(frame, right)
        case _:
            expressions.discard(frame, expr)


# ---------------------------------------------------------------- input and output, assertions, the rest


def _printf(frame: Frame, call: tree.Call) -> Operand:
    for argument in call.arguments:
        operand = expressions.lower_operand(frame, argument)
        if not isinstance(operand, Text):
            lvalues.to_value(frame, operand, argument.span)
    frame.emit(ir.InputOutput(), call.span)
    return Computed(values.Const(0, types.INT))


def _assert(frame: Frame, call: tree.Call) -> Operand:
    (condition,) = arguments_of(call, 1, 1)
    value = expressions.lower_condition(frame, condition)
    text = frame.world.source.text_of(condition.span)
    frame.emit(ir.Assert(value, text), call.span)
    return Nothing()


def _exit(frame: Frame, call: tree.Call) -> Operand:
    """``exit`` and its kin: the process ends here, and no object of automatic storage is destroyed."""
    for argument in arguments_of(call, 0, 1):
        expressions.discard(frame, argument)
    if not frame.host:
        raise error(Code.TYPE_ERROR, "a kernel cannot end the process", call.span, "use `__trap()`: it aborts the grid")
    frame.emit(ir.EndProcess(), call.span)
    frame.builder.end(call.span)
    return Nothing()


def _trap(frame: Frame, call: tree.Call) -> Operand:
    """``__trap()``: the grid is aborted."""
    arguments_of(call, 0, 0)
    _device_only(frame, call, "__trap")
    streams.fail(frame, call.span)
    frame.builder.end(call.span)
    return Nothing()


def _moved(frame: Frame, call: tree.Call) -> Operand:
    """``std::move(x)``, ``std::ref(x)`` and the like: the thing itself."""
    (argument,) = arguments_of(call, 1, 1)
    return expressions.lower_operand(frame, argument)


def _text(_frame: Frame, _call: tree.Call) -> Operand:
    return Text()


def _init(frame: Frame, call: tree.Call) -> Operand:
    return barriers.init(frame, call)


_FUNCTIONS: dict[str, Handler] = {
    "atomic_thread_fence": _fence,
    "__threadfence_block": _threadfence(ir.Scope.BLOCK),
    "__threadfence": _threadfence(ir.Scope.DEVICE),
    "__threadfence_system": _threadfence(ir.Scope.SYSTEM),
    "__syncthreads": _syncthreads,
    "__syncthreads_count": _syncthreads_vote("count"),
    "__syncthreads_and": _syncthreads_vote("and"),
    "__syncthreads_or": _syncthreads_vote("or"),
    "__syncwarp": _syncwarp,
    "this_thread::yield": _yield,
    "this_thread::sleep_for": _sleep,
    "__nanosleep": _sleep,
    "usleep": _sleep,
    "sleep": _sleep,
    "printf": _printf,
    "fprintf": _printf,
    "puts": _printf,
    "fflush": _printf,
    "assert": _assert,
    "exit": _exit,
    "_Exit": _exit,
    "quick_exit": _exit,
    "abort": _exit,
    "terminate": _exit,
    "__trap": _trap,
    "move": _moved,
    "forward": _moved,
    "ref": _moved,
    "cref": _moved,
    "init": _init,
    "cudaGetErrorString": _text,
    "cudaGetErrorName": _text,
}


def lower_launch(frame: Frame, launch: tree.Launch) -> Operand:
    """Lower ``kernel<<<grid, block, shared, stream>>>(arguments)``."""
    from scopec.frontends.scoped.lower.launches import launch_grid

    return launch_grid(frame, launch)
