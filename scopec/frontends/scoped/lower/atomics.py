"""Members of ``atomic`` and ``atomic_ref``, and CUDA's older atomic functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.frontends.scoped.lower import calls, expressions, lvalues, pointers
from scopec.frontends.scoped.lower.context import outside
from scopec.frontends.scoped.lower.cpp_types import ADDRESS, PointerType
from scopec.frontends.scoped.lower.operands import (
    Atomic,
    Computed,
    Nothing,
    Operand,
    PointerVariable,
    Register,
    Variable,
    describe,
)
from scopec.program import ir, types, values
from scopec.program.types import BOOL
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame
    from scopec.frontends.scoped.syntax import tree

_FETCH = {"fetch_add": "+", "fetch_sub": "-", "fetch_and": "&", "fetch_or": "|", "fetch_xor": "^"}
_FETCH |= {"fetch_min": "min", "fetch_max": "max"}
_MEMBERS = (
    "load", "store", "exchange", "compare_exchange_weak", "compare_exchange_strong", *_FETCH,
    "wait", "notify_one", "notify_all", "is_lock_free", "test_and_set", "test", "clear",
)  # fmt: skip


def member(frame: Frame, call: tree.Call, target: Atomic, name: str) -> Operand:
    """Lower a call of an atomic's member function."""
    match name:
        case "load":
            arguments = calls.arguments_of(call, 0, 1)
            order = checked_order(frame, arguments, 0, ir.READ_ORDERS, "a load")
            mode = ir.Mode(order, target.scope)
            return Computed(lvalues.load(frame, target.place, target.type, mode, call.span), target.pointee)
        case "store":
            arguments = calls.arguments_of(call, 1, 2)
            value = _value(frame, arguments[0], target)
            order = checked_order(frame, arguments, 1, ir.WRITE_ORDERS, "a store")
            lvalues.store(frame, target.place, value, ir.Mode(order, target.scope), call.span)
            return Nothing()
        case "exchange":
            return _read_modify_write(frame, call, target, lambda _, new: new)
        case _ if name in _FETCH:
            if target.type.is_bool or (target.pointee is not None and name not in ("fetch_add", "fetch_sub")):
                kind = "bool" if target.type.is_bool else "pointer"
                raise error(Code.TYPE_ERROR, f"an atomic<{kind}> has no {name}", call.span)
            op = _FETCH[name]
            return _read_modify_write(frame, call, target, lambda old, value: arithmetic(op, old, value))
        case "compare_exchange_strong" | "compare_exchange_weak":
            return _compare_exchange(frame, call, target, weak=name.endswith("weak"))
        case "wait":
            return _wait(frame, call, target)
        case "notify_one" | "notify_all":
            calls.arguments_of(call, 0, 0)
            frame.emit(ir.Notify(target.place, name == "notify_all"), call.span)
            return Nothing()
        case "is_lock_free":
            calls.arguments_of(call, 0, 0)
            return Computed(values.TRUE)
        case _:
            message = f"scopec does not model an atomic's `{name}`"
            raise error(Code.UNMODELLED_CALL, message, call.span, suggestion(name, _MEMBERS))


def _value(frame: Frame, expr: tree.Expr, target: Atomic) -> Value:
    operand = expressions.lower_operand(frame, expr)
    if target.pointee is not None:
        return pointers.as_value(frame, pointers.checked(operand, target.pointee, expr.span), expr.span).value
    return values.convert(lvalues.to_value(frame, operand, expr.span), target.type)


def arithmetic(op: str, old: Value, value: Value) -> Value:
    """``old op value``, ``min`` and ``max`` included."""
    if op in ("min", "max"):
        less = values.binary("<" if op == "min" else ">", value, old)
        return values.choose(less, value, old)
    return values.binary(op, old, value)


def checked_order(
    frame: Frame, arguments: tuple[tree.Expr, ...], index: int, allowed: tuple[ir.Order, ...], what: str
) -> ir.Order:
    """The order that an argument names (seq_cst without one); InputError if the operation cannot have it."""
    if len(arguments) <= index:
        return ir.Order.SEQ_CST
    order = calls.order_of(frame, arguments[index])
    if order not in allowed:
        orders = ", ".join(o.value for o in allowed)
        message = f"{what} cannot have the order {order.value}"
        raise error(Code.BAD_ARGUMENTS, message, arguments[index].span, f"use one of {orders}")
    return order


def _read_modify_write(frame: Frame, call: tree.Call, target: Atomic, new: Callable[[Value, Value], Value]) -> Operand:
    arguments = calls.arguments_of(call, 1, 2)
    exchange = target.pointee is not None and new(Reg("a", ADDRESS), Reg("b", ADDRESS)) == Reg("b", ADDRESS)
    if target.pointee is not None and not exchange:
        operand = values.convert(expressions.lower_value(frame, arguments[0]), ADDRESS)
    else:
        operand = _value(frame, arguments[0], target)
    order = checked_order(frame, arguments, 1, tuple(ir.Order), "this operation")
    return modify(frame, target, lambda old: new(old, operand), order, call.span)


def modify(frame: Frame, target: Atomic, new: Callable[[Value], Value], order: ir.Order, span: Span) -> Computed:
    """Append a read-modify-write; its result is the value before."""
    own = frame.world.objects[target.place.object].type
    result = frame.temporary(own)
    old = values.cast(result, target.type)
    written = values.convert(values.convert(new(old), target.type), own)
    frame.emit(ir.Rmw(result.name, target.place, written, ir.Mode(order, target.scope)), span)
    return Computed(old, target.pointee)


def _compare_exchange(frame: Frame, call: tree.Call, target: Atomic, *, weak: bool) -> Operand:
    """[atomics.types.operations]: with one order given, failure drops its release half."""
    arguments = calls.arguments_of(call, 2, 4)
    expected = expressions.lower_operand(frame, arguments[0])
    before = _expected(frame, expected, target, arguments[0].span)
    desired = _value(frame, arguments[1], target)
    success = checked_order(frame, arguments, 2, tuple(ir.Order), "this operation")
    if len(arguments) == 4:
        failure = checked_order(frame, arguments, 3, ir.READ_ORDERS, "a failed compare_exchange")
    else:
        drop_release = {ir.Order.ACQ_REL: ir.Order.ACQUIRE, ir.Order.RELEASE: ir.Order.RELAXED}
        failure = drop_release.get(success, success)
    old, succeeded = compare_exchange(frame, target, before, desired, (success, failure), call.span, weak=weak)
    if isinstance(expected, Register):
        frame.emit(ir.Set(expected.name, values.choose(succeeded, before, old)), arguments[0].span)
    else:  # an ordinary object is written where the exchange fails
        after = frame.builder.label()
        failed = frame.builder.label()
        frame.builder.split(succeeded, arguments[0].span, after, failed)
        frame.builder.place(failed)
        lvalues.assign(frame, expected, Computed(old, target.pointee), arguments[0].span)
        frame.builder.place(after)
    return Computed(succeeded)


def _expected(frame: Frame, expected: Operand, target: Atomic, span: Span) -> Value:
    """The value of what is passed as expected, by reference."""
    if isinstance(expected, PointerVariable):
        raise outside("a pointer that is not assigned to as the expected value is", span, "use a pointer of its own")
    if not isinstance(expected, (Register, Variable)):
        message = "the expected value is passed by reference: a variable is wanted here"
        raise error(Code.TYPE_ERROR, message, span, "copy it to a local variable first")
    type_ = lvalues.type_of(expected)
    wanted = target.pointee if target.pointee is not None else target.type
    if type_ != wanted:
        from scopec.frontends.scoped.lower.cpp_types import shown

        have = shown(type_) if type_ is not None else describe(expected)
        message = f"the expected value has type {have}, the atomic {shown(wanted)}"
        raise error(Code.TYPE_ERROR, message, span)
    return lvalues.to_value(frame, expected, span)


def compare_exchange(
    frame: Frame,
    target: Atomic,
    expected: Value,
    desired: Value,
    orders: tuple[ir.Order, ir.Order],
    span: Span,
    *,
    weak: bool,
) -> tuple[Value, Reg]:
    """Append a compare-exchange; returns the value found and the register that says whether it succeeded."""
    own = frame.world.objects[target.place.object].type
    old, succeeded = frame.temporary(own), frame.temporary(BOOL)
    mode = ir.Mode(orders[0], target.scope)
    frame.emit(
        ir.CompareExchange(
            old.name, succeeded.name, target.place, values.convert(expected, own), values.convert(desired, own),
            mode, orders[1], weak,
        ),
        span,
    )  # fmt: skip
    return values.cast(old, target.type), succeeded


def _wait(frame: Frame, call: tree.Call, target: Atomic) -> Operand:
    """[atomics.wait]: blocks while the value is ``old``."""
    arguments = calls.arguments_of(call, 1, 2)
    old = _value(frame, arguments[0], target)
    order = checked_order(frame, arguments, 1, ir.READ_ORDERS, "a wait")
    result = frame.temporary(frame.world.objects[target.place.object].type)
    changed = values.binary("!=", values.convert(result, target.type), old)
    frame.emit(ir.Await(result.name, target.place, changed, ir.Mode(order, target.scope), None, True), call.span)
    return Nothing()


# ---------------------------------------------------------------- the older functions


def _increment(old: Value, limit: Value) -> Value:
    """``atomicInc``: ((old >= limit) ? 0 : (old + 1))."""
    return values.choose(values.binary(">=", old, limit), Const(0, old.type), _plus(old, 1))


def _decrement(old: Value, limit: Value) -> Value:
    """``atomicDec``: (((old == 0) || (old > limit)) ? limit : (old - 1))."""
    wraps = values.binary("||", values.binary("==", old, Const(0, old.type)), values.binary(">", old, limit))
    return values.choose(wraps, limit, _plus(old, -1))


def _plus(value: Value, step: int) -> Value:
    return values.binary("+" if step > 0 else "-", value, Const(abs(step), value.type))


_LEGACY: dict[str, Callable[[Value, Value], Value]] = {
    "atomicAdd": lambda old, value: values.binary("+", old, value),
    "atomicSub": lambda old, value: values.binary("-", old, value),
    "atomicExch": lambda _, value: value,
    "atomicMin": lambda old, value: arithmetic("min", old, value),
    "atomicMax": lambda old, value: arithmetic("max", old, value),
    "atomicAnd": lambda old, value: values.binary("&", old, value),
    "atomicOr": lambda old, value: values.binary("|", old, value),
    "atomicXor": lambda old, value: values.binary("^", old, value),
    "atomicInc": _increment,
    "atomicDec": _decrement,
}
_SUFFIXES = {"": ir.Scope.DEVICE, "_block": ir.Scope.BLOCK, "_system": ir.Scope.SYSTEM}
#: Name: what it is without its suffix, and its scope.
LEGACY = {f"{name}{suffix}": (name, scope) for name in (*_LEGACY, "atomicCAS") for suffix, scope in _SUFFIXES.items()}


def legacy(frame: Frame, call: tree.Call, name: str) -> Operand:
    """Lower ``atomicAdd(address, value)`` and its kin: relaxed, at device scope unless the name says another."""
    if frame.host:
        raise error(Code.TYPE_ERROR, f"`{name}` can be called in kernels only", call.span)
    base, scope = LEGACY[name]
    arguments = calls.arguments_of(call, 3, 3) if base == "atomicCAS" else calls.arguments_of(call, 2, 2)
    target = lvalues.dereference(frame, expressions.lower_operand(frame, arguments[0]), arguments[0].span)
    operands = [expressions.lower_operand(frame, a) for a in arguments[1:]]
    atomic = _object(target, scope, arguments[0].span)
    given = [_operand(frame, atomic, o, a.span) for o, a in zip(operands, arguments[1:], strict=True)]
    if base == "atomicCAS":
        relaxed = (ir.Order.RELAXED, ir.Order.RELAXED)
        result, _ = compare_exchange(frame, atomic, given[0], given[1], relaxed, call.span, weak=False)
    else:
        new = _LEGACY[base]
        result = modify(frame, atomic, lambda old: new(old, given[0]), ir.Order.RELAXED, call.span).value
    pointee = lvalues.type_of(target)
    return Computed(result, pointee if isinstance(pointee, PointerType) else None)


def _operand(frame: Frame, atomic: Atomic, operand: Operand, span: Span) -> Value:
    if atomic.pointee is not None:
        return pointers.as_value(frame, pointers.checked(operand, atomic.pointee, span), span).value
    return values.convert(lvalues.to_value(frame, operand, span), atomic.type)


def _object(operand: Operand, scope: ir.Scope, span: Span) -> Atomic:
    match operand:
        case Variable(place, type_, _, pointee) | Atomic(place, type_, _, pointee):
            if type_.bits < 16 or type_ == types.BOOL:
                raise error(Code.TYPE_ERROR, f"there is no atomic function on {type_.name}", span)
            return Atomic(place, type_, scope, pointee)
        case _:
            raise error(Code.TYPE_ERROR, f"the address of a number is wanted here, not of {describe(operand)}", span)
