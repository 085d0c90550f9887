"""Lowering of calls: atomic members, device and library functions, the file's own functions, launches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from scopec.diagnostics import Code, error, suggestion
from scopec.program import ir, types, values
from scopec.program.lower import api, expressions, names, statements
from scopec.program.lower.operands import (
    Atomic,
    Computed,
    Enumerator,
    Function,
    Nothing,
    Operand,
    Pointer,
    Register,
    describe,
)
from scopec.program.types import BOOL
from scopec.syntax import tree

if TYPE_CHECKING:
    from scopec.program.lower.context import Frame
    from scopec.source import Span

Handler = Callable[["Frame", tree.Call], Operand]


def lower_call(frame: Frame, call: tree.Call) -> Operand:
    """Lower ``function(arguments)``."""
    match call.function:
        case tree.Member(_, object_, name):
            return _member_call(frame, call, object_, name)
        case tree.Name(span, name):
            handler = _FUNCTIONS.get(name) or _FUNCTIONS.get(names.unqualified(name))
            if handler is not None:
                return handler(frame, call)
            if name in api.FUNCTIONS:
                return api.lower_api(frame, call, name)
            if name in frame.world.globals and isinstance(frame.world.globals[name], Function):
                return _inline(frame, call, frame.world.globals[name])
            _unknown_function(frame, name, span)
        case _:
            pass
    raise error(Code.OUTSIDE_SUBSET, "a call of this kind is outside the modelled subset", call.span)


def _unknown_function(frame: Frame, name: str, span: Span) -> None:
    known = [*_FUNCTIONS, *api.FUNCTIONS]
    own = [n for n, o in frame.world.globals.items() if isinstance(o, Function)]
    raise error(Code.UNMODELLED_CALL, f"scopec does not model `{name}`", span, suggestion(name, known + own))


def _arguments(call: tree.Call, least: int, most: int) -> tuple[tree.Expr, ...]:
    if not least <= len(call.arguments) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        plural = "" if wanted == "1" else "s"
        raise error(
            Code.BAD_ARGUMENTS, f"{wanted} argument{plural} wanted here, {len(call.arguments)} given", call.span
        )
    return call.arguments


def _order(frame: Frame, expr: tree.Expr) -> ir.Order:
    operand = expressions.lower_operand(frame, expr)
    if isinstance(operand, Enumerator) and isinstance(operand.value, ir.Order):
        return operand.value
    raise error(Code.TYPE_ERROR, "a memory order is wanted here", expr.span, "such as cuda::memory_order_acquire")


def _scope(frame: Frame, expr: tree.Expr) -> ir.Scope:
    operand = expressions.lower_operand(frame, expr)
    if isinstance(operand, Enumerator) and isinstance(operand.value, ir.Scope):
        return operand.value
    raise error(Code.TYPE_ERROR, "a thread scope is wanted here", expr.span, "such as cuda::thread_scope_device")


# ---------------------------------------------------------------- members of atomics

_READ_ORDERS = (ir.Order.RELAXED, ir.Order.ACQUIRE, ir.Order.SEQ_CST)
_WRITE_ORDERS = (ir.Order.RELAXED, ir.Order.RELEASE, ir.Order.SEQ_CST)
_FETCH = {"fetch_add": "+", "fetch_sub": "-", "fetch_and": "&", "fetch_or": "|", "fetch_xor": "^"}
_FETCH |= {"fetch_min": "min", "fetch_max": "max"}
_MEMBERS = ("load", "store", "exchange", "compare_exchange_weak", "compare_exchange_strong", *_FETCH)


def _member_call(frame: Frame, call: tree.Call, object_: tree.Expr, name: str) -> Operand:
    target = expressions.lower_operand(frame, object_)
    if not isinstance(target, Atomic):
        raise error(Code.TYPE_ERROR, f"{describe(target)} has no member functions", call.span)
    match name:
        case "load":
            arguments = _arguments(call, 0, 1)
            order = _checked_order(frame, arguments, 0, _READ_ORDERS, "a load")
            result = frame.temporary(target.type)
            frame.emit(ir.Load(result.name, target.place, ir.Mode(order, target.scope)), call.span)
            return Computed(result)
        case "store":
            arguments = _arguments(call, 1, 2)
            value = values.convert(expressions.lower_value(frame, arguments[0]), target.type)
            order = _checked_order(frame, arguments, 1, _WRITE_ORDERS, "a store")
            frame.emit(ir.Store(target.place, value, ir.Mode(order, target.scope)), call.span)
            return Nothing()
        case "exchange":
            return _read_modify_write(frame, call, target, lambda _, new: new)
        case _ if name in _FETCH:
            if target.type.is_bool:
                raise error(Code.TYPE_ERROR, f"an atomic<bool> has no {name}", call.span)
            op = _FETCH[name]
            return _read_modify_write(frame, call, target, lambda old, value: _arithmetic(op, old, value))
        case "compare_exchange_strong" | "compare_exchange_weak":
            return _compare_exchange(frame, call, target, weak=name.endswith("weak"))
        case "wait" | "notify_one" | "notify_all" | "is_lock_free":
            message = f"`{name}` of an atomic is outside the subset that this version models"
            raise error(Code.UNMODELLED_CALL, message, call.span, "spin on load() instead")
        case _:
            raise error(
                Code.UNMODELLED_CALL,
                f"scopec does not model an atomic's `{name}`",
                call.span,
                suggestion(name, _MEMBERS),
            )


def _arithmetic(op: str, old: values.Value, value: values.Value) -> values.Value:
    if op in ("min", "max"):
        less = values.binary("<" if op == "min" else ">", value, old)
        return values.choose(less, value, old)
    return values.binary(op, old, value)


def _checked_order(
    frame: Frame, arguments: tuple[tree.Expr, ...], index: int, allowed: tuple[ir.Order, ...], what: str
) -> ir.Order:
    if len(arguments) <= index:
        return ir.Order.SEQ_CST
    order = _order(frame, arguments[index])
    if order not in allowed:
        orders = ", ".join(o.value for o in allowed)
        message = f"{what} cannot have the order {order.value}"
        raise error(Code.BAD_ARGUMENTS, message, arguments[index].span, f"use one of {orders}")
    return order


def _read_modify_write(
    frame: Frame, call: tree.Call, target: Atomic, new: Callable[[values.Value, values.Value], values.Value]
) -> Operand:
    arguments = _arguments(call, 1, 2)
    operand = values.convert(expressions.lower_value(frame, arguments[0]), target.type)
    order = _checked_order(frame, arguments, 1, tuple(ir.Order), "this operation")
    result = frame.temporary(target.type)
    written = values.convert(new(result, operand), target.type)
    frame.emit(ir.Rmw(result.name, target.place, written, ir.Mode(order, target.scope)), call.span)
    return Computed(result)


def _compare_exchange(frame: Frame, call: tree.Call, target: Atomic, *, weak: bool) -> Operand:
    """[atomics.types.operations]: with one order given, failure drops its release half."""
    arguments = _arguments(call, 2, 4)
    expected = expressions.lower_operand(frame, arguments[0])
    if not isinstance(expected, Register):
        message = "the expected value must be a local variable, passed by reference"
        raise error(Code.OUTSIDE_SUBSET, message, arguments[0].span, "copy it to a local variable first")
    if expected.type != target.type:
        message = f"the expected value has type {expected.type.name}, the atomic {target.type.name}"
        raise error(Code.TYPE_ERROR, message, arguments[0].span)
    desired = values.convert(expressions.lower_value(frame, arguments[1]), target.type)
    success = _checked_order(frame, arguments, 2, tuple(ir.Order), "this operation")
    if len(arguments) == 4:
        failure = _checked_order(frame, arguments, 3, _READ_ORDERS, "a failed compare_exchange")
    else:
        drop_release = {ir.Order.ACQ_REL: ir.Order.ACQUIRE, ir.Order.RELEASE: ir.Order.RELAXED}
        failure = drop_release.get(success, success)
    old, succeeded = frame.temporary(target.type), frame.temporary(BOOL)
    before = values.Reg(expected.name, expected.type)
    mode = ir.Mode(success, target.scope)
    operation = ir.CompareExchange(old.name, succeeded.name, target.place, before, desired, mode, failure, weak)
    frame.emit(operation, call.span)
    frame.emit(ir.Set(expected.name, values.choose(succeeded, before, old)), arguments[0].span)
    return Computed(succeeded)


# ---------------------------------------------------------------- free functions


def _device_only(frame: Frame, call: tree.Call, name: str) -> None:
    if frame.host:
        raise error(Code.TYPE_ERROR, f"`{name}` can be called in kernels only", call.span)


def _fence(frame: Frame, call: tree.Call) -> Operand:
    arguments = _arguments(call, 1, 2)
    order = _order(frame, arguments[0])
    scope = ir.Scope.SYSTEM
    if len(arguments) == 2:
        assert isinstance(call.function, tree.Name)
        if not call.function.name.startswith("cuda::atomic"):
            raise error(Code.BAD_ARGUMENTS, "only cuda::atomic_thread_fence takes a scope", arguments[1].span)
        scope = _scope(frame, arguments[1])
    if order is not ir.Order.RELAXED:  # [atomics.fences]: a relaxed fence has no effects
        frame.emit(ir.Fence(order, scope), call.span)
    return Nothing()


def _threadfence(scope: ir.Scope) -> Handler:
    def handler(frame: Frame, call: tree.Call) -> Operand:
        _arguments(call, 0, 0)
        _device_only(frame, call, "__threadfence")
        frame.emit(ir.Fence(ir.Order.SEQ_CST, scope), call.span)
        return Nothing()

    return handler


def _syncthreads(frame: Frame, call: tree.Call) -> Operand:
    _arguments(call, 0, 0)
    _device_only(frame, call, "__syncthreads")
    frame.emit(ir.SyncThreads(), call.span)
    return Nothing()


def _syncthreads_vote(function: Literal["count", "and", "or"]) -> Handler:
    def handler(frame: Frame, call: tree.Call) -> Operand:
        (argument,) = _arguments(call, 1, 1)
        _device_only(frame, call, f"__syncthreads_{function}")
        predicate = expressions.lower_condition(frame, argument)
        result = frame.temporary(types.INT)
        frame.emit(ir.SyncThreads(ir.Vote(result.name, function, predicate)), call.span)
        return Computed(result)

    return handler


def _syncwarp(frame: Frame, call: tree.Call) -> Operand:
    arguments = _arguments(call, 0, 1)
    _device_only(frame, call, "__syncwarp")
    mask = 0xFFFFFFFF
    if arguments:
        mask = expressions.constant(frame, arguments[0], "the mask of __syncwarp") & mask
    frame.emit(ir.GroupSync(ir.Group.WARP, mask), call.span)
    return Nothing()


def _yield(frame: Frame, call: tree.Call) -> Operand:
    for argument in _arguments(call, 0, 1):
        expressions.discard(frame, argument)
    frame.emit(ir.Yield(), call.span)
    return Nothing()


def _printf(frame: Frame, call: tree.Call) -> Operand:
    for argument in call.arguments:
        if not isinstance(argument, tree.Str):
            expressions.lower_value(frame, argument)
    frame.emit(ir.InputOutput(), call.span)
    return Computed(values.Const(0, types.INT))


def _assert(frame: Frame, call: tree.Call) -> Operand:
    (condition,) = _arguments(call, 1, 1)
    value = expressions.lower_condition(frame, condition)
    text = frame.world.source.text_of(condition.span)
    frame.emit(ir.Assert(value, text), call.span)
    return Nothing()


def _minmax(op: str) -> Handler:
    def handler(frame: Frame, call: tree.Call) -> Operand:
        left, right = (expressions.lower_value(frame, a) for a in _arguments(call, 2, 2))
        return Computed(_arithmetic(op, left, right))

    return handler


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
    "__nanosleep": _yield,
    "printf": _printf,
    "assert": _assert,
    "min": _minmax("min"),
    "max": _minmax("max"),
}

# ---------------------------------------------------------------- the file's own functions


def _inline(frame: Frame, call: tree.Call, operand: Operand) -> Operand:
    assert isinstance(operand, Function)
    function = operand.definition
    if "__global__" in function.type.specifiers:
        raise error(Code.BAD_LAUNCH, f"a kernel is launched, not called: {function.name}<<<…>>>(…)", call.span)
    if function.name in frame.inlining:
        raise error(Code.OUTSIDE_SUBSET, f"`{function.name}` is recursive: recursion is outside the subset", call.span)
    device = "__device__" in function.type.specifiers
    host = "__host__" in function.type.specifiers or not device
    if (frame.host and not host) or (not frame.host and not device):
        where = "a host" if frame.host else "a device"
        raise error(Code.TYPE_ERROR, f"`{function.name}` is not {where} function", call.span)
    if len(function.parameters) != len(call.arguments):
        message = f"`{function.name}` has {len(function.parameters)} parameters, {len(call.arguments)} arguments given"
        raise error(Code.BAD_ARGUMENTS, message, call.span)
    return statements.inline(frame, function, call)


def bind_parameter(frame: Frame, parameter: tree.Parameter, argument: tree.Expr) -> Operand:
    """What a parameter of an inlined or launched function means, given its argument in ``frame``."""
    type_ = frame.world.resolve(parameter.type)
    operand = expressions.lower_operand(frame, argument)
    match type_:
        case names.AtomicType(value=element, scope=scope, ref=True):
            return expressions.atomic_ref(operand, element, scope, argument.span)
        case names.PointerType():
            return pointer_to(operand, type_, argument.span)
        case names.ReferenceType(target):
            return reference_to(operand, target, argument.span)
        case types.IntType():
            return Computed(values.convert(expressions.to_value(frame, operand, argument.span), type_))
        case names.EnumType() | names.DimType() | names.StreamType() | names.EventType():
            return operand
        case _:
            raise error(Code.OUTSIDE_SUBSET, "a parameter of this type is outside the modelled subset", parameter.span)


def pointer_to(operand: Operand, type_: names.PointerType, span: Span) -> Pointer:
    """The pointer that an operand is or decays to, checked against the declared type."""
    from scopec.program.lower.operands import Array, Variable

    if isinstance(operand, Array):
        operand = Pointer(operand)
    if isinstance(operand, Pointer):
        target = operand.target.element if isinstance(operand.target, Array) else operand.target
        match target, type_.target:
            case (Variable(type=have), types.IntType() as want) if have == want:
                return operand
            case (Atomic(type=have, scope=scope), names.AtomicType(value=want, scope=wanted, ref=False)) if (
                have == want and scope == wanted
            ):
                return operand
            case _:
                pass
    raise error(Code.TYPE_ERROR, "the address of an object of the pointer's type is wanted here", span)


def reference_to(operand: Operand, target: types.IntType | names.AtomicType, span: Span) -> Operand:
    """What a reference parameter or variable refers to, checked against the declared type."""
    from scopec.program.lower.operands import Variable

    match operand, target:
        case (Variable(type=have) | Register(type=have), types.IntType() as want) if have == want:
            return operand
        case (Atomic(type=have, scope=scope), names.AtomicType(value=want, scope=wanted)) if (
            have == want and scope == wanted
        ):
            return operand
        case _:
            raise error(Code.TYPE_ERROR, "an object of the reference's type is wanted here", span)


def lower_launch(frame: Frame, launch: tree.Launch) -> Operand:
    """Lower ``kernel<<<grid, block, shared, stream>>>(arguments)``."""
    from scopec.program.lower.launches import launch_grid

    return launch_grid(frame, launch)
