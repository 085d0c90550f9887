"""Barriers, latches and semaphores: objects in memory that their members change by atomic steps.

The state of a latch or semaphore is its counter; a barrier has operations of its own.  An arrival is a release, a wait
that returns an acquire ("strongly happens before", [thread.barrier.class]/9, [thread.latch.class]/14,
[thread.sema.cnt]/13): what a wait sees is made by the arrivals before, so it synchronises with all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.frontends.scoped.lower import atomics, calls, expressions, lvalues
from scopec.frontends.scoped.lower.cpp_types import ARRIVAL_TOKEN
from scopec.frontends.scoped.lower.operands import Atomic, Computed, Nothing, Operand, Sync, describe
from scopec.program import ir, types, values
from scopec.program.ir import Use
from scopec.program.types import LONG
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame
    from scopec.frontends.scoped.syntax import tree

_MEMBERS = {
    Use.BARRIER: ("arrive", "wait", "arrive_and_wait", "arrive_and_drop", "try_wait", "wait_parity", "try_wait_parity"),
    Use.LATCH: ("count_down", "wait", "arrive_and_wait", "try_wait"),
    Use.SEMAPHORE: ("acquire", "release", "try_acquire"),
}


def initialise(frame: Frame, target: Sync, initialiser: tree.Initialiser, span: Span) -> None:
    """The state that a constructor or ``init`` gives: not an atomic operation."""
    if len(initialiser.arguments) != 1:
        message = f"a {target.type.use.value} is made with one number"
        raise error(Code.BAD_ARGUMENTS, message, initialiser.span)
    (argument,) = initialiser.arguments
    count = expressions.constant(frame, argument, "the count")
    _store_state(frame, target, count, argument.span, span)


def _store_state(frame: Frame, target: Sync, count: int, at: Span, span: Span) -> None:
    if count < 0 or (target.type.limit is not None and count > target.type.limit):
        raise error(Code.BAD_ARGUMENTS, f"a {target.type.use.value} cannot start with {count}", at)
    if target.type.use is Use.BARRIER:
        frame.emit(ir.BarrierInit(target.place, Const(count, LONG)), span)
    else:
        frame.emit(ir.Store(target.place, Const(count, LONG), ir.PLAIN), span)


def init(frame: Frame, call: tree.Call) -> Operand:
    """``init(&bar, count)``: gives a barrier its state, like a constructor."""
    pointer, count = calls.arguments_of(call, 2, 2)
    target = lvalues.dereference(frame, expressions.lower_operand(frame, pointer), pointer.span)
    if not isinstance(target, Sync) or target.type.use is not Use.BARRIER:
        raise error(
            Code.TYPE_ERROR, f"the address of a barrier is wanted here, not of {describe(target)}", pointer.span
        )
    value = expressions.lower_value(frame, count)
    if isinstance(value, Const):
        _store_state(frame, target, value.value, count.span, call.span)
    else:  # blockDim.x and the like are known once the launch is
        frame.emit(ir.BarrierInit(target.place, values.convert(value, LONG)), call.span)
    return Nothing()


def member(frame: Frame, call: tree.Call, target: Sync, name: str) -> Operand:
    """Lower a call of a member function of a barrier, latch or semaphore."""
    use = target.type.use
    if name not in _MEMBERS[use]:
        message = f"scopec does not model a {use.value}'s `{name}`"
        raise error(Code.UNMODELLED_CALL, message, call.span, suggestion(name, _MEMBERS[use]))
    match use:
        case Use.BARRIER:
            return _barrier(frame, call, target, name)
        case Use.LATCH:
            return _latch(frame, call, target, name)
        case _:
            return _semaphore(frame, call, target, name)


def _atomic(target: Sync) -> Atomic:
    return Atomic(target.place, LONG, target.type.scope)


def _mode(target: Sync, order: ir.Order) -> ir.Mode:
    return ir.Mode(order, target.type.scope)


def _await(frame: Frame, target: Sync, span: Span, condition: Value, found: Reg, new: Value | None = None) -> None:
    frame.emit(ir.Await(found.name, target.place, condition, _mode(target, ir.Order.ACQUIRE), new), span)


def _number(frame: Frame, arguments: tuple[tree.Expr, ...], index: int) -> Value:
    """An optional count, 1 without one."""
    if len(arguments) <= index:
        return Const(1, LONG)
    return values.convert(expressions.lower_value(frame, arguments[index]), LONG)


# ---------------------------------------------------------------- barriers


def _arrive(frame: Frame, target: Sync, update: Value, span: Span, *, drop: bool = False) -> Value:
    """An arrival; returns the phase that it belongs to."""
    phase = frame.temporary(ARRIVAL_TOKEN)
    frame.emit(ir.BarrierArrive(phase.name, target.place, update, _mode(target, ir.Order.RELEASE), drop), span)
    return phase


def _wait(frame: Frame, target: Sync, span: Span, over: Callable[[Value], Value]) -> None:
    """Wait for a phase of which ``over`` holds."""
    phase = frame.temporary(LONG)
    frame.emit(ir.BarrierWait(phase.name, target.place, over(phase), _mode(target, ir.Order.ACQUIRE)), span)


def _try_wait(frame: Frame, target: Sync, span: Span, over: Callable[[Value], Value]) -> Operand:
    """Whether such a phase has come: false too where the time is up before."""
    phase = frame.temporary(LONG)
    frame.emit(ir.BarrierPhase(phase.name, target.place, _mode(target, ir.Order.ACQUIRE)), span)
    return _may_fail(frame, over(phase), span)


def _barrier(frame: Frame, call: tree.Call, target: Sync, name: str) -> Operand:
    match name:
        case "arrive":
            arguments = calls.arguments_of(call, 0, 1)
            return Computed(_arrive(frame, target, _number(frame, arguments, 0), call.span))
        case "wait":
            (token,) = calls.arguments_of(call, 1, 1)
            _wait(frame, target, call.span, _later(_token(frame, token)))
            return Nothing()
        case "arrive_and_wait":
            calls.arguments_of(call, 0, 0)
            _wait(frame, target, call.span, _later(_arrive(frame, target, Const(1, LONG), call.span)))
            return Nothing()
        case "arrive_and_drop":
            calls.arguments_of(call, 0, 0)
            _arrive(frame, target, Const(1, LONG), call.span, drop=True)
            return Nothing()
        case "wait_parity":
            (parity,) = calls.arguments_of(call, 1, 1)
            _wait(frame, target, call.span, _other_parity(frame, parity))
            return Nothing()
        case "try_wait":
            (token,) = calls.arguments_of(call, 1, 1)
            return _try_wait(frame, target, call.span, _later(_token(frame, token)))
        case _:
            (parity,) = calls.arguments_of(call, 1, 1)
            return _try_wait(frame, target, call.span, _other_parity(frame, parity))


def _token(frame: Frame, expr: tree.Expr) -> Value:
    value = expressions.lower_value(frame, expr)
    if value.type != ARRIVAL_TOKEN:
        raise error(Code.TYPE_ERROR, "the token that `arrive` returned is wanted here", expr.span)
    return value


def _later(token: Value) -> Callable[[Value], Value]:
    """That the phase of a token is over."""
    return lambda phase: values.binary("!=", phase, values.convert(token, LONG))


def _other_parity(frame: Frame, expr: tree.Expr) -> Callable[[Value], Value]:
    """That the phase with a parity is over."""
    parity = values.convert(expressions.lower_condition(frame, expr), LONG)
    return lambda phase: values.binary("!=", values.binary("%", phase, Const(2, LONG)), parity)


def _may_fail(frame: Frame, success: Value, span: Span) -> Operand:
    """The result of a ``try_`` function: false, or what it is."""
    allowed = frame.temporary(types.BOOL)
    frame.emit(ir.Decide(allowed.name), span)
    return Computed(values.binary("&&", success, allowed))


# ---------------------------------------------------------------- latches


def _latch(frame: Frame, call: tree.Call, target: Sync, name: str) -> Operand:
    def count_down(update: Value) -> None:
        atomics.modify(frame, _atomic(target), lambda old: values.binary("-", old, update), ir.Order.RELEASE, call.span)

    def wait() -> None:
        found = frame.temporary(LONG)
        _await(frame, target, call.span, values.binary("==", found, Const(0, LONG)), found)

    match name:
        case "count_down":
            count_down(_number(frame, calls.arguments_of(call, 0, 1), 0))
            return Nothing()
        case "wait":
            calls.arguments_of(call, 0, 0)
            wait()
            return Nothing()
        case "arrive_and_wait":
            count_down(_number(frame, calls.arguments_of(call, 0, 1), 0))
            wait()
            return Nothing()
        case _:
            calls.arguments_of(call, 0, 0)
            state = lvalues.load(frame, target.place, LONG, ir.Mode(ir.Order.ACQUIRE, target.type.scope), call.span)
            return _may_fail(frame, values.binary("==", state, Const(0, LONG)), call.span)


# ---------------------------------------------------------------- semaphores


def _semaphore(frame: Frame, call: tree.Call, target: Sync, name: str) -> Operand:
    match name:
        case "release":
            update = _number(frame, calls.arguments_of(call, 0, 1), 0)
            atomics.modify(
                frame, _atomic(target), lambda old: values.binary("+", old, update), ir.Order.RELEASE, call.span
            )
            return Nothing()
        case "acquire":
            calls.arguments_of(call, 0, 0)
            found = frame.temporary(LONG)
            positive = values.binary(">", found, Const(0, LONG))
            _await(frame, target, call.span, positive, found, values.binary("-", found, Const(1, LONG)))
            return Nothing()
        case _:
            return _try_acquire(frame, call, target)


def _try_acquire(frame: Frame, call: tree.Call, target: Sync) -> Operand:
    """[thread.sema.cnt]: takes one if the counter is positive; may fail without a reason."""
    calls.arguments_of(call, 0, 0)
    span, builder = call.span, frame.builder
    state = lvalues.load(frame, target.place, LONG, ir.Mode(ir.Order.RELAXED, target.type.scope), span)
    result = frame.temporary(types.BOOL)
    frame.emit(ir.Set(result.name, values.FALSE), span)
    some, done = builder.label(), builder.label()
    builder.split(values.binary(">", state, Const(0, LONG)), span, some, done)
    builder.place(some)
    orders = (ir.Order.ACQUIRE, ir.Order.RELAXED)
    fewer = values.binary("-", state, Const(1, LONG))
    _, succeeded = atomics.compare_exchange(frame, _atomic(target), state, fewer, orders, span, weak=True)
    frame.emit(ir.Set(result.name, succeeded), span)
    builder.place(done)
    return Computed(result)
