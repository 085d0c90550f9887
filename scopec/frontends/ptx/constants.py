"""Constant expressions of PTX, which are computed where they are read (PTX ISA, "Constant Expressions").

Integers have 64 bits, signed or not.  Where the table of that section and ptxas differ, this is ptxas: ``&``, ``|`` and
``^`` of signed numbers are signed, and ``?:`` has the type of what it chooses.
"""

from __future__ import annotations

import operator
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from scopec.base.diagnostics import Code, error
from scopec.frontends.ptx.forms import Number, Real

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.base.source import Span

Constant: TypeAlias = Number | Real

_BITS = 64
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip
_REAL = ("+", "-", "*", "/")


def integer(constant: Constant) -> int:
    """An integer; InputError for a floating-point number."""
    if isinstance(constant, Real):
        raise error(Code.BAD_ARGUMENTS, "an integer is wanted here", constant.span, "write one, such as 4")
    return constant.value


def real(text: str) -> float:
    """A floating-point number, in decimal or by its bits (``0f3F800000``, ``0d…``)."""
    bits = {"0f": ">f", "0d": ">d"}.get(text[:2].lower())
    return float(text) if bits is None else float(struct.unpack(bits, bytes.fromhex(text[2:]))[0])


def unary(span: Span, sign: str, operand: Constant) -> Constant:
    """``-x``, ``+x``, ``~x``, which is unsigned, and ``!x``."""
    match sign, operand:
        case "+" | "-", Real(_, value):
            return Real(span, -value if sign == "-" else value)
        case "+" | "-", Number(_, value, unsigned):
            return _number(span, -value if sign == "-" else value, unsigned=unsigned)
        case "!", _:
            return _number(span, int(not integer(operand)))
        case _:
            return _number(span, ~integer(operand), unsigned=True)


def cast(span: Span, type_: str, operand: Constant) -> Number:
    """``(.s64)x`` or ``(.u64)x``; InputError for another type."""
    if type_ not in ("s64", "u64"):
        raise error(Code.BAD_ARGUMENTS, f"a constant is no `.{type_}`", span, "write .s64 or .u64")
    return _number(span, integer(operand), unsigned=type_ == "u64")


def binary(span: Span, sign: str, left: Constant, right: Constant) -> Constant:
    """An operation on two constants; InputError for two of different kinds, and where there is no result."""
    if isinstance(left, Real) and isinstance(right, Real) and sign in (*_REAL, *_COMPARISONS):
        return _of_reals(span, sign, left.value, right.value)
    one, other = integer(left), integer(right)
    assert isinstance(left, Number)
    assert isinstance(right, Number)
    unsigned = left.unsigned or right.unsigned
    if sign in ("&&", "||"):
        return _number(span, int(bool(one and other) if sign == "&&" else bool(one or other)))
    if sign in ("<<", ">>"):  # by its lower six bits
        by = other % _BITS
        return _number(span, one << by if sign == "<<" else one >> by, unsigned=left.unsigned)
    if sign == "%":
        unsigned = True
    one, other = (_number(span, value, unsigned=unsigned).value for value in (one, other))
    if sign in _COMPARISONS:
        return _number(span, int(_COMPARISONS[sign](one, other)))
    if sign in _ARITHMETIC:
        return _number(span, _ARITHMETIC[sign](one, other), unsigned=unsigned)
    if not other:
        raise error(Code.BAD_ARGUMENTS, "a constant is divided by zero", span, "divide by another number")
    quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
    return _number(span, one - quotient * other) if sign == "%" else _number(span, quotient, unsigned=unsigned)


def _of_reals(span: Span, sign: str, left: float, right: float) -> Constant:
    if sign in _COMPARISONS:
        return _number(span, int(_COMPARISONS[sign](left, right)))
    if sign == "/":
        return Real(span, left / right if right else float("nan"))
    return Real(span, _ARITHMETIC[sign](left, right))


def chosen(span: Span, which: Constant, then: Constant, other: Constant) -> Constant:
    """``which ? then : other``, of the type that the one has; InputError for two of different kinds."""
    if isinstance(then, Real) != isinstance(other, Real):
        raise error(Code.BAD_ARGUMENTS, "one of two constants is an integer", span, "write two of one kind")
    return replace(then if integer(which) else other, span=span)


def _number(span: Span, value: int, *, unsigned: bool = False) -> Number:
    """A number of 64 bits."""
    value %= 1 << _BITS
    return Number(span, value if unsigned or value >> _BITS - 1 == 0 else value - (1 << _BITS), unsigned)
