"""Bitwise operations on two unknown numbers, for z3: functions of integers, of which some laws are stated.

A number is taken for its bits in two's complement, without an end: what is stated holds of all integers.
"""

from __future__ import annotations

import itertools
from typing import Any

import z3

from scopec.base.records import dataclass

#: So many powers of two are operands of which the result is exactly known.
_MOST_BITS = 11


@dataclass(frozen=True)
class Bits:
    """One result: of ``xor``, or ``mask`` for the bits that both have."""

    op: str
    left: Any
    right: Any
    value: Any


def made(op: str, left: Any, right: Any) -> Bits:
    """The result of an operation."""
    return Bits(op, left, right, z3.Function(f"bits {op}", z3.IntSort(), z3.IntSort(), z3.IntSort())(left, right))


def facts(known: list[Bits], *, exact: bool) -> list[Any]:
    """What is known of results."""
    found = []
    for one in known:
        for x, y in ((one.left, one.right), (one.right, one.left)):
            found += _exclusive(one.value, x, y, exact) if one.op == "xor" else _masked(one.value, x, y, exact)
    for one, other in itertools.combinations([one for one in known if one.op == "xor"], 2):
        for x, y in ((one.left, one.right), (one.right, one.left)):
            for z, w in ((other.left, other.right), (other.right, other.left)):
                again, alike = (one.value == z) == (other.value == x), (one.value == other.value) == (x == z)
                found.append(z3.Implies(y == w, z3.And(again, alike)))
    return found


def _exclusive(value: Any, x: Any, y: Any, exact: bool) -> list[Any]:
    found = [
        z3.Implies(y == 0, value == x), (value == 0) == (x == y),
        z3.Implies(z3.And(x >= 0, y >= 0), z3.And(value >= 0, value <= x + y, value >= x - y)),
    ]  # fmt: skip
    bit = [1 << n for n in range(_MOST_BITS if exact else 0)]
    return found + [z3.Implies(y == power, value == x + power - 2 * power * (x / power % 2)) for power in bit]


def _masked(value: Any, x: Any, y: Any, exact: bool) -> list[Any]:
    found = [
        z3.Implies(y == -1, value == x), z3.Implies(x == y, value == x), z3.Implies(y == 0, value == 0),
        z3.Implies(y >= 0, z3.And(value >= 0, value <= y)),
    ]  # fmt: skip
    bit = [1 << n for n in range(_MOST_BITS if exact else 0)]
    found += [z3.Implies(y == power, value == power * (x / power % 2)) for power in bit]
    return found + [z3.Implies(y == power - 1, value == x % power) for power in bit]
