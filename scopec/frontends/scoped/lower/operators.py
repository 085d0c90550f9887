"""Operators: arithmetic, comparisons, logic, choices and assignment."""

from __future__ import annotations

from dataclasses import replace

from scopec.base.source import Span
from scopec.frontends.c import expressions
from scopec.frontends.c.syntax import tree
from scopec.frontends.scoped.lower import lvalues
from scopec.frontends.scoped.lower.context import Frame
from scopec.frontends.scoped.lower.operands import Atomic, Computed, Operand, Register, Variable
from scopec.frontends.scoped.out_of_subset import out_of_subset
from scopec.program import types, values
from scopec.program.builder import Builder
from scopec.program.values import Const, Value


def unary(frame: Frame, op: str, operand: tree.Expr, span: Span) -> Operand:
    """``op operand``."""
    match op:
        case "&":
            return lvalues.address(frame.operand(operand), operand.span)
        case "*":
            return lvalues.dereference(frame.operand(operand), span)
        case "!":
            return Computed(values.unary("!", frame.condition(operand)))
        case _:
            return Computed(values.unary(op, frame.value(operand)))


def binary(frame: Frame, expr: tree.Binary) -> Value:
    """``left op right``, but for ``&&`` and ``||``: in no order, so one of them at most is noticed by other threads."""
    touches, events = frame.touches, frame.events
    left = frame.alone(expr.left)
    between = frame.touches
    right = frame.alone(expr.right)
    if touches < between < frame.touches and events < frame.events:
        message = "C++ leaves these operands in no order, and both access memory: that is"
        raise out_of_subset(message, expr.span, "write two statements")
    return frame.computed(values.binary(expr.op, left, right), expr.span)


def short_circuit(frame: Frame, expr: tree.Binary) -> Value:
    """``&&`` and ``||``: behind a constant the right side is looked at only if it may decide."""
    left = frame.condition(expr.left)
    if isinstance(left, Const):
        decided = bool(left.value) == (expr.op == "||")
        return left if decided else frame.condition(expr.right)
    return expressions.short_circuit(frame, expr, left, values.FALSE if expr.op == "&&" else values.TRUE)


def conditional(frame: Frame, expr: tree.Conditional) -> Value:
    """``condition ? then : otherwise``: behind a constant the other side says of what type the result is."""
    condition = frame.condition(expr.condition)
    if isinstance(condition, Const):
        taken, left = (expr.then, expr.otherwise) if condition.value else (expr.otherwise, expr.then)
        value = frame.value(taken)
        apart = replace(frame, builder=Builder(), world=replace(frame.world, streams=dict(frame.world.streams)))
        other = apart.value(left).type
        return value if value.type == other else values.cast(value, types.common_type(value.type, other))
    return expressions.conditional(frame, expr, condition)


def assign(frame: Frame, written: tree.Expr, op: str | None, value: Value, span: Span) -> None:
    """``target = value`` and ``target op= value``; the value is evaluated before the target ([expr.ass]/1)."""
    target = frame.operand(written)
    if op is not None:
        if not isinstance(target, (Register, Variable)):
            raise out_of_subset(
                "this update is", span, "an atomic is updated by its members" if isinstance(target, Atomic) else None
            )
        before = frame.read(target, span)
        value = frame.computed(values.binary(op, before, value), span)
        value = values.convert(value, target.type)
    lvalues.assign(frame, target, value, span)
