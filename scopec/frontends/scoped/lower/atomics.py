"""Members of ``atomic`` and ``atomic_ref``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.frontends.c.names import FETCH
from scopec.frontends.scoped.lower.arguments import arguments_of, order_of
from scopec.frontends.scoped.lower.operands import Atomic, Computed, Nothing, Operand, Register
from scopec.frontends.scoped.out_of_subset import out_of_subset
from scopec.program import ir, values
from scopec.program.types import BOOL

if TYPE_CHECKING:
    from scopec.frontends.c.syntax import tree
    from scopec.frontends.scoped.lower.context import Frame
    from scopec.program.values import Value

_FETCH = {f"fetch_{name}": op for name, op in FETCH.items()}
_MEMBERS = ("load", "store", "exchange", "compare_exchange_weak", "compare_exchange_strong", *_FETCH)


def member(frame: Frame, call: tree.Call, target: Atomic, name: str) -> Operand:
    """Lower a call of an atomic's member function."""
    match name:
        case "load":
            arguments = arguments_of(call, 0, 1)
            order = _order(frame, arguments, 0, ir.READ_ORDERS, "a load")
            return Computed(frame.load(target.place, ir.Mode(order, target.scope), call.span))
        case "store":
            arguments = arguments_of(call, 1, 2)
            value = _value(frame, arguments[0], target)
            order = _order(frame, arguments, 1, ir.WRITE_ORDERS, "a store")
            frame.emit(ir.Store(target.place, value, ir.Mode(order, target.scope)), call.span)
            return Nothing()
        case "exchange":
            return _read_modify_write(frame, call, target, None)
        case _ if name in _FETCH:
            if target.type.is_bool:
                raise error(Code.TYPE_ERROR, f"an atomic<bool> has no {name}", call.span)
            return _read_modify_write(frame, call, target, _FETCH[name])
        case "compare_exchange_strong" | "compare_exchange_weak":
            return _compare_exchange(frame, call, target, weak=name.endswith("weak"))
        case _:
            help_ = suggestion(name, _MEMBERS)
            raise out_of_subset(f"an atomic's `{name}` is", call.span, help_)


def _value(frame: Frame, expr: tree.Expr, target: Atomic) -> Value:
    return values.convert(frame.alone(expr), target.type)


def _order(
    frame: Frame, arguments: tuple[tree.Expr, ...], index: int, allowed: tuple[ir.Order, ...], what: str
) -> ir.Order:
    """The order that an argument names (seq_cst without one); InputError if the operation cannot have it."""
    if len(arguments) <= index:
        return ir.Order.SEQ_CST
    order = order_of(frame, arguments[index])
    if order not in allowed:
        orders = ", ".join(o.value for o in allowed)
        message = f"{what} cannot have the order {order.value}"
        raise error(Code.BAD_ARGUMENTS, message, arguments[index].span, f"use one of {orders}")
    return order


def _read_modify_write(frame: Frame, call: tree.Call, target: Atomic, op: str | None) -> Operand:
    """A ``fetch_`` member, or without an operator an exchange; the result is the value before."""
    arguments = arguments_of(call, 1, 2)
    value = _value(frame, arguments[0], target)
    order = _order(frame, arguments, 1, tuple(ir.Order), "this operation")
    old = frame.temporary(target.type)
    match op:
        case None:
            new = value
        case "min" | "max":
            new = values.choose(values.binary("<" if op == "min" else ">", value, old), value, old)
        case _:
            new = values.binary(op, old, value)
    written = values.convert(new, target.type)
    frame.emit(ir.Rmw(old.name, target.place, written, ir.Mode(order, target.scope)), call.span)
    return Computed(old)


def _compare_exchange(frame: Frame, call: tree.Call, target: Atomic, *, weak: bool) -> Operand:
    """[atomics.types.operations]: with one order given, failure drops its release half."""
    arguments = arguments_of(call, 2, 4)
    span = arguments[0].span
    expected = frame.operand(arguments[0])
    if not isinstance(expected, Register) or expected.constant or expected.type != target.type:
        message = f"the expected value is passed by reference: a local variable of type {target.type.name} is wanted"
        raise error(Code.TYPE_ERROR, message, span, "copy it to a local variable first")
    before = frame.read(expected, span)
    desired = _value(frame, arguments[1], target)
    success = _order(frame, arguments, 2, tuple(ir.Order), "this operation")
    if len(arguments) == 4:
        failure = _order(frame, arguments, 3, ir.READ_ORDERS, "a failed compare_exchange")
    else:
        failure = success.read_half
    old, succeeded = frame.temporary(target.type), frame.temporary(BOOL)
    mode = ir.Mode(success, target.scope)
    exchange = ir.CompareExchange(old.name, succeeded.name, target.place, before, desired, mode, failure, weak)
    frame.emit(exchange, call.span)
    frame.emit(ir.Set(expected.name, values.choose(succeeded, before, old)), span)
    frame.changes += 1
    return Computed(succeeded)
