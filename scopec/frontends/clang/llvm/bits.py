"""Functions of the bits of a number, as values: how many are set, where, and in another order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.llvm.numbers import arithmetic, number
from scopec.program.values import Binary, Choose, Const, Convert, Named, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORD = 32
EVERY_BIT = (1 << _WORD) - 1


def _alternating(bits: int, width: int) -> Value:
    """So many bits that are set, as many that are not, and so on from the lowest."""
    block = (1 << width) - 1
    return number(sum(block << at for at in range(0, bits, 2 * width)), bits)


def _by(opcode: str, value: Value, by: int) -> Value:
    return arithmetic(opcode, value, number(by, value.type.bits))


def count_ones(value: Value) -> Value:
    """The number of set bits: first in pairs, then in pairs of these, …"""
    bits, width = value.type.bits, 1
    while width < bits:
        mask = _alternating(bits, width)
        halves = (arithmetic("and", side, mask) for side in (value, _by("lshr", value, width)))
        value = arithmetic("add", *halves)
        width *= 2
    return value


def leading_zeros(value: Value) -> Value:
    """The number of clear bits above the highest that is set; all for 0."""
    bits, width = value.type.bits, 1
    while width < bits:
        value = arithmetic("or", value, _by("lshr", value, width))
        width *= 2
    return count_ones(_by("xor", value, -1))


def trailing_zeros(value: Value) -> Value:
    """The number of clear bits below the lowest that is set; all for 0."""
    return count_ones(arithmetic("and", _by("xor", value, -1), _by("sub", value, 1)))


def reverse(value: Value) -> Value:
    """The lowest bit as the highest: neighbours change places, then pairs of them, …"""
    bits, width = value.type.bits, 1
    while width < bits:
        mask = _alternating(bits, width)
        up = _by("shl", arithmetic("and", value, mask), width)
        value = arithmetic("or", up, arithmetic("and", _by("lshr", value, width), mask))
        width *= 2
    return value


def may_be_set(number_: Value, known: Mapping[str, int]) -> int:
    """The bits that may be set in a number of 32 bits; ``known`` are those of registers of which something is known."""
    match number_:
        case Const(value, _):
            return value & EVERY_BIT
        case Reg(name, _):
            return known.get(name, EVERY_BIT)
        case Convert(inner, _) | Named(_, inner):
            return may_be_set(inner, known) if inner.type.bits == _WORD else EVERY_BIT
        case Choose(_, then, otherwise, _) | Binary("|" | "^", then, otherwise, _):
            return may_be_set(then, known) | may_be_set(otherwise, known)
        case Binary("&", left, right, _):
            return may_be_set(left, known) & may_be_set(right, known)
        case _:
            return EVERY_BIT
