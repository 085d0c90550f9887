"""Operators: arithmetic, comparisons, logic, choices and assignment."""

from __future__ import annotations

from dataclasses import replace

from scopec.base.source import Span
from scopec.frontends.scoped.beyond import beyond
from scopec.frontends.scoped.lower import expressions, lvalues
from scopec.frontends.scoped.lower.context import Frame
from scopec.frontends.scoped.lower.operands import Atomic, Computed, Operand, Register, Variable
from scopec.frontends.scoped.syntax import tree
from scopec.program import faults, ir, types, values
from scopec.program.builder import Builder
from scopec.program.types import BOOL
from scopec.program.values import Const, Reg, Value


def unary(frame: Frame, op: str, operand: tree.Expr, span: Span) -> Operand:
    """``op operand``."""
    match op:
        case "&":
            return lvalues.address(expressions.lower_operand(frame, operand), operand.span)
        case "*":
            return lvalues.dereference(expressions.lower_operand(frame, operand), span)
        case "!":
            return Computed(values.unary("!", expressions.lower_condition(frame, operand)))
        case _:
            return Computed(values.unary(op, expressions.lower_value(frame, operand)))


def binary(frame: Frame, expr: tree.Binary) -> Value:
    """``left op right``, but for ``&&`` and ``||``: in no order, so one of them at most is noticed by other threads."""
    touches, events = frame.touches, frame.events
    left = expressions.lower_alone(frame, expr.left)
    between = frame.touches
    right = expressions.lower_alone(frame, expr.right)
    if touches < between < frame.touches and events < frame.events:
        message = "C++ leaves these operands in no order, and both access memory: that is"
        raise beyond(message, expr.span, "write two statements")
    return frame.computed(values.binary(expr.op, left, right), expr.span)


def short_circuit(frame: Frame, expr: tree.Binary) -> Value:
    """``&&`` and ``||``: the right side is evaluated only if the left side leaves the answer open."""
    left = expressions.lower_condition(frame, expr.left)
    if isinstance(left, Const):
        decided = bool(left.value) == (expr.op == "||")
        return left if decided else expressions.lower_condition(frame, expr.right)
    if not has_effect(frame, expr.right):
        return values.binary(expr.op, left, expressions.lower_condition(frame, expr.right))
    result = frame.temporary(BOOL)
    frame.emit(ir.Set(result.name, values.FALSE if expr.op == "&&" else values.TRUE), expr.left.span)
    more, done = frame.builder.label(), frame.builder.label()
    then, otherwise = (more, done) if expr.op == "&&" else (done, more)
    frame.builder.split(left, expr.left.span, then, otherwise)
    frame.builder.place(more)
    with frame.nested():
        frame.emit(ir.Set(result.name, expressions.lower_condition(frame, expr.right)), expr.right.span)
    frame.builder.place(done)
    return result


def conditional(frame: Frame, expr: tree.Conditional) -> Value:
    """``condition ? then : otherwise``, for numbers: only one of the sides is evaluated."""
    condition = expressions.lower_condition(frame, expr.condition)
    if isinstance(condition, Const):
        taken, left = (expr.then, expr.otherwise) if condition.value else (expr.otherwise, expr.then)
        value = expressions.lower_value(frame, taken)
        apart = replace(frame, builder=Builder(), world=replace(frame.world, streams=dict(frame.world.streams)))
        other = expressions.lower_value(apart, left).type
        return value if value.type == other else values.cast(value, types.common_type(value.type, other))
    if not has_effect(frame, expr.then) and not has_effect(frame, expr.otherwise):
        first, second = (expressions.lower_value(frame, side) for side in (expr.then, expr.otherwise))
        return values.choose(condition, first, second)
    then, otherwise, done = (frame.builder.label() for _ in range(3))
    frame.builder.split(condition, expr.condition.span, then, otherwise)
    with frame.nested():
        frame.builder.place(then)
        first = expressions.lower_value(frame, expr.then)
        result = frame.temporary(types.LONG)
        frame.emit(ir.Set(result.name, first), expr.then.span)
        frame.builder.jump(done)
        frame.builder.place(otherwise)
        second = expressions.lower_value(frame, expr.otherwise)
        frame.emit(ir.Set(result.name, second), expr.otherwise.span)
    frame.builder.place(done)
    if first.type == second.type:
        return Reg(result.name, first.type)
    return values.cast(result, types.common_type(first.type, second.type))


def has_effect(frame: Frame, expr: tree.Expr) -> bool:
    """Whether evaluating an expression appends anything to the graph: a read of memory, a check included."""
    match expr:
        case tree.Int() | tree.Bool() | tree.SizeOf():
            return False
        case tree.Name(span, name, None):
            return isinstance(expressions.lower_name(frame, name, span), (Variable, Atomic))
        case tree.Unary(_, ("!" | "-" | "+" | "~"), operand) | tree.Cast(_, _, operand):
            return has_effect(frame, operand)
        case tree.Binary(_, op, left, right):
            by = right.value if isinstance(right, tree.Int) else None
            return faults.may_fault(op, by) or has_effect(frame, left) or has_effect(frame, right)
        case tree.Conditional(_, condition, then, otherwise):
            return any(has_effect(frame, e) for e in (condition, then, otherwise))
        case tree.Member(_, tree.Name(_, name), _) if name in expressions.INDEX_NAMES:
            return False
        case _:
            return True


def assign(frame: Frame, written: tree.Expr, op: str | None, value: Value, span: Span) -> None:
    """``target = value`` and ``target op= value``; the value is evaluated before the target ([expr.ass]/1)."""
    target = expressions.lower_operand(frame, written)
    if op is not None:
        if not isinstance(target, (Register, Variable)):
            raise beyond(
                "this update is", span, "an atomic is updated by its members" if isinstance(target, Atomic) else None
            )
        before = lvalues.to_value(frame, target, span)
        value = frame.computed(values.binary(op, before, value), span)
        value = values.convert(value, target.type)
    lvalues.assign(frame, target, value, span)
