"""Threads of the C dialects: what C leaves in no order.

"Except as specified later, side effects and value computations of subexpressions are unsequenced" (C11 6.5/3).  That
is so for the operands of an operator, of an assignment ("The evaluations of the operands are unsequenced", 6.5.16/3),
of ``[]`` (6.5.2.1/2), and for the arguments of a call (6.5.2.2/10).  It is not so for ``&&``, ``||``, ``?:`` and ``,``:
after the first operand there is a sequence point (6.5.13/4, 6.5.14/4, 6.5.15/4, 6.5.17/2), as there is after the
arguments of a call (6.5.2.2/10); and the store of an assignment "is sequenced after the value computations of the left
and right operands" (6.5.16/3).
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.frontends.c.syntax import tree
from scopec.frontends.litmus.lower.c_operands import Cell, CFrame, Followed, Local, Touched, Variable
from scopec.program import ir
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scopec.base.source import Span


@dataclass(frozen=True, slots=True)
class Part:
    """An operand: how it is evaluated, and whether that may access memory."""

    evaluate: Callable[[], Any]
    accesses: bool


def in_no_order(frame: CFrame, span: Span, *parts: Part) -> list[Any]:
    """Evaluate operands that C leaves in no order; their results.

    InputError where one changes a register that another uses: if it does so itself "the behavior is undefined" (C11
    6.5/2), and if a function does that it calls, it is before or after (6.5.2.2/10).
    """
    several = sum(part.accesses for part in parts) > 1
    evaluation, outside = frame.evaluations, frame.apart
    frame.evaluations += several
    frame.apart = outside or several
    results: list[Any] = []
    touched: list[Touched] = []
    for number, part in enumerate(parts):
        if several:
            frame.emit(ir.Operand(evaluation, number), span)
        with watched(frame) as touches:
            results.append(part.evaluate())
        touched.append(touches)
    if several:
        frame.emit(ir.Operand(evaluation, None), span)
    frame.apart = outside
    for number, one in enumerate(touched):
        for name in sorted(set[str]().union(*(one.conflicts(other) for other in touched[:number]))):
            raise unsequenced(name, span)
    return results


@contextmanager
def watched(frame: CFrame) -> Iterator[Touched]:
    """Record the effects on registers inside, which then also count outside."""
    outside, frame.touched = frame.touched, Touched()
    yield frame.touched
    inside, frame.touched = frame.touched, outside
    outside.add(inside)


def unsequenced(name: str, span: Span) -> Exception:
    """The error for an object that an expression changes and uses in no order."""
    message = f"`{name}` is changed in one part of this expression and used in another, and C does not order them"
    return error(Code.UNSEQUENCED, message, span)


def assigned_once(target: Variable, before: Touched, span: Span) -> None:
    """InputError where an assignment's operands may assign to its target themselves: two side effects in no order."""
    if not all(_differ(target, other) for other in before.pending):
        raise unsequenced(target.name if isinstance(target, Local) else target.text, span)


def _differ(one: Variable, other: Variable) -> bool:
    """Whether two objects are known to be different ones."""
    match one, other:
        case Local(name), Local(its):
            return name != its
        case (Local(), _) | (_, Local()):
            return True
        case Cell(ir.Place(here, Const(index))), Cell(ir.Place(there, Const(its_index))):
            return (here, index) != (there, its_index)
        case Cell(ir.Place(here)), Cell(ir.Place(there)):
            return here != there
        case _:
            return False


def sequence_point(frame: CFrame) -> None:
    """Let the side effects of what was evaluated be done."""
    frame.touched.pending.clear()


@contextmanager
def called(frame: CFrame, span: Span) -> Iterator[None]:
    """The body of a function that makes plain accesses, or several: no other operand is evaluated in between."""
    if not frame.apart:
        yield
        return
    frame.emit(ir.Called(begins=True), span)
    yield
    frame.emit(ir.Called(begins=False), span)


def accesses(frame: CFrame, expr: tree.Expr) -> bool:
    """Whether evaluating an expression may access memory, or call a function."""
    match expr:
        case tree.Int() | tree.Bool():
            return False
        case tree.Name(_, name):
            return isinstance(frame.names.get(name), (Cell, Followed))
        case tree.Unary(_, "&", inner):
            return accesses_place(frame, inner)
        case tree.Unary(_, "*", _) | tree.Index():
            return True
        case tree.Unary(_, _, inner) | tree.Cast(_, _, inner):
            return accesses(frame, inner)
        case tree.Binary(_, _, left, right) | tree.Comma(_, left, right):
            return accesses(frame, left) or accesses(frame, right)
        case tree.Conditional(_, condition, then, otherwise):
            return any(accesses(frame, part) for part in (condition, then, otherwise))
        case tree.Assign(_, _, target, value):
            return accesses(frame, target) or accesses(frame, value)
        case tree.Step(_, _, _, target):
            return accesses(frame, target)
        case _:
            return True


def accesses_place(frame: CFrame, expr: tree.Expr) -> bool:
    """Whether finding out what an expression denotes may access memory."""
    match expr:
        case tree.Unary(_, "*", inner):
            return accesses(frame, inner)
        case tree.Index(_, inner, index):
            return accesses(frame, inner) or accesses(frame, index)
        case tree.Name():
            return False
        case _:
            return accesses(frame, expr)
