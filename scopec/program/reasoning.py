"""Deductions about values: conditions decided by others, ranges, and forms that do not depend on registers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import assert_never

from scopec.program.values import (
    Binary,
    Builtin,
    Choose,
    Const,
    Convert,
    Named,
    Reg,
    Unary,
    Value,
    binary,
    fold,
    leaves,
    rebuild,
    unary,
)


def assume(value: Value, condition: Value, truth: bool) -> Value:
    """``value`` where ``condition`` is known to be ``truth``: choices by it, or by its negation, are decided."""
    negated = unary("!", condition)
    mentioned = set(leaves(condition))

    def decided(inner: Value, parts: Sequence[Value]) -> Value:
        if isinstance(inner, Choose) and inner.condition in (condition, negated):
            return parts[1 if (inner.condition == condition) == truth else 2]
        return rebuild(inner, parts)

    def untouched(inner: Value) -> Value | None:
        return inner if isinstance(inner, Named) and not mentioned <= set(inner.reads) else None

    return fold(value, decided, untouched)


def map_atoms(value: Value, atom: Callable[[Value], Value], truth: bool = True) -> Value:
    """A condition (``truth``) or its negation, negations taken inward, with ``atom`` applied to what is no logic."""
    match value:
        case Unary("!", operand, _):
            return map_atoms(operand, atom, not truth)
        case Binary(("&&" | "||") as op, left, right, _):
            dual = "||" if op == "&&" else "&&"
            return binary(op if truth else dual, map_atoms(left, atom, truth), map_atoms(right, atom, truth))
        case _:
            return atom(value if truth else unary("!", value))


def without_repeats(value: Value) -> Value:
    """A conjunction with each of its conditions once."""

    def conjuncts(inner: Value) -> Iterator[Value]:
        match inner:
            case Binary("&&", left, right, _):
                yield from conjuncts(left)
                yield from conjuncts(right)
            case _:
                yield inner

    first, *others = dict.fromkeys(conjuncts(value))
    return reduce(lambda left, right: binary("&&", left, right), others, first)


def bounds(value: Value) -> tuple[int, int]:
    """A range that every value of an expression is in."""
    return fold(value, _bounds)


def _bounds(value: Value, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The range of an expression from those of its operands."""
    low = -(1 << (value.type.bits - 1)) if value.type.signed else 0
    high = (1 << (value.type.bits - value.type.signed)) - 1
    match value:
        case Const(number, _):
            return number, number
        case Binary("%", _, Const(by, _), _) if by > 0 and parts[0][0] >= 0:
            return 0, min(by - 1, parts[0][1])
        case Binary("&", _, Const(mask, _), _) if mask >= 0:
            return 0, mask
        case Choose():
            _, (a, b), (c, d) = parts
            return min(a, c), max(b, d)
        case Convert():
            a, b = parts[0]
            return (a, b) if low <= a and b <= high else (low, high)
        case Binary(("+" | "-") as op, _, _, _):
            (a, b), (c, d) = parts
            least, most = (a + c, b + d) if op == "+" else (a - d, b - c)
            return (least, most) if low <= least and most <= high else (low, high)
        case Named():
            return parts[0]
        case _:
            return low, high


def says_more(one: Value, other: Value) -> bool:
    """Whether ``0 <= v && v < n`` says all that ``v <= m`` says, of the same value seen as unsigned."""
    match one, other:
        case (
            Binary("&&", Binary(">=", low, Const(0)), Binary("<", index, Const(length))),
            Binary(("<" | "<=") as op, seen, Const(most)),
        ) if low == index:
            while isinstance(seen, Convert) and seen.type.bits >= seen.operand.type.bits:
                seen = seen.operand
            return seen == index and length <= most + (op == "<=")
        case _:
            return False


def form(value: Value) -> frozenset[object]:
    """The shapes of a value, whichever registers it is computed from, one for each choice of sides."""

    def of(inner: Value, parts: Sequence[frozenset[object]]) -> frozenset[object]:
        match inner:
            case Reg() | Builtin():
                return frozenset({inner.type})
            case Unary(op, _, type_) | Binary(op, _, _, type_):
                return frozenset({(op, *parts, type_)})
            case Choose():
                return parts[1] | parts[2]
            case Convert(_, type_):
                return frozenset({(*parts, type_)})
            case Const():
                return frozenset({inner})
            case Named():
                return parts[0]
            case _:
                assert_never(inner)

    return fold(value, of)
