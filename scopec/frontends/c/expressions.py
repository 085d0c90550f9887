"""Expressions of C and C++: literals, and those of which a part is evaluated or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scopec.frontends.c.syntax import tree
from scopec.program import faults, ir, types, values
from scopec.program.types import BOOL, INT, LONG, UINT, ULONG
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from scopec.frontends.c.frame import Frame


def literal(frame: Frame[Any], expr: tree.Int) -> Const:
    """An integer, of the first of the types that it may have and that holds it ([lex.icon], C11 6.4.4.1/5).

    A decimal one without ``u`` may be of a signed type only; one that none of them holds is unsigned all the same.
    """
    decimal = not frame.world.source.text_of(expr.span).startswith("0")
    candidates = [LONG, ULONG] if expr.long else [INT, UINT, LONG, ULONG]
    allowed = [t for t in candidates if not (t.signed if expr.unsigned else decimal and not t.signed)]
    return Const(expr.value, next((t for t in allowed if t.wrap(expr.value) == expr.value), ULONG))


def short_circuit(frame: Frame[Any], expr: tree.Binary, left: Value, at_first: Value) -> Value:
    """``&&`` and ``||`` behind the left side: the right side is evaluated only if that leaves the answer open.

    ``at_first`` is the answer, as a value, where it does not.
    """
    if not has_effect(frame, expr.right):
        return values.binary(expr.op, left, frame.condition(expr.right))
    result = frame.temporary(BOOL)
    frame.emit(ir.Set(result.name, at_first), expr.left.span)
    more, done = frame.builder.label(), frame.builder.label()
    frame.builder.split(left, expr.left.span, *((more, done) if expr.op == "&&" else (done, more)))
    frame.builder.place(more)
    with frame.nested():
        frame.emit(ir.Set(result.name, frame.condition(expr.right)), expr.right.span)
    frame.builder.place(done)
    return result


def conditional(frame: Frame[Any], expr: tree.Conditional, condition: Value) -> Value:
    """``condition ? then : otherwise``, for numbers, behind the condition: only one of the sides is evaluated."""
    if not has_effect(frame, expr.then) and not has_effect(frame, expr.otherwise):
        return values.choose(condition, frame.value(expr.then), frame.value(expr.otherwise))
    then, otherwise, done = (frame.builder.label() for _ in range(3))
    frame.builder.split(condition, expr.condition.span, then, otherwise)
    with frame.nested():
        frame.builder.place(then)
        first = frame.value(expr.then)
        result = frame.temporary(LONG)
        frame.emit(ir.Set(result.name, first), expr.then.span)
        frame.builder.jump(done)
        frame.builder.place(otherwise)
        second = frame.value(expr.otherwise)
        frame.emit(ir.Set(result.name, second), expr.otherwise.span)
    frame.builder.place(done)
    if first.type == second.type:
        return Reg(result.name, first.type)
    return values.cast(result, types.common_type(first.type, second.type))


def has_effect(frame: Frame[Any], expr: tree.Expr) -> bool:
    """Whether evaluating an expression appends anything to the graph: a read of memory, a check included."""
    match expr:
        case tree.Int() | tree.Bool() | tree.SizeOf() | tree.Unary(_, "&", tree.Name()):
            return False
        case tree.Name():
            return frame.reads(expr)
        case tree.Unary(_, ("!" | "-" | "+" | "~"), operand) | tree.Cast(_, _, operand):
            return has_effect(frame, operand)
        case tree.Binary(_, op, left, right):
            by = right.value if isinstance(right, tree.Int) else None
            return faults.may_fault(op, by) or has_effect(frame, left) or has_effect(frame, right)
        case tree.Conditional(_, condition, then, otherwise):
            return any(has_effect(frame, e) for e in (condition, then, otherwise))
        case tree.Member(_, tree.Name() as object_, _):
            return frame.reads(object_)
        case _:
            return True
