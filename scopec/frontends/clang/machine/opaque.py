"""Values that are not modelled, such as floating-point numbers, and what is known of how they are computed.

Of two equal operations on equal operands the results are equal, whatever they are.  So a decision on such a value is
the same in all threads that find the same: that of ``while (*error > limit)`` in those that read the same ``*error``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TypeVar, get_args

from scopec.base.records import dataclass, replace
from scopec.program.values import Const, Value

_T = TypeVar("_T")

#: Longer texts, and more operands, are not worth keeping: a sum in a loop grows with each turn.
_LONGEST, _MOST = 120, 6


class Origin(IntEnum):
    """The source of a value that is not modelled; of one that is made of several, the last of theirs."""

    CONSTANT = 0
    CLOCK = 1
    OTHER = 2


@dataclass(frozen=True, slots=True)
class Formula:
    """The computation of a value: ``text`` with a ``?`` for each of the operands ``of``, in their order.

    An operand is a number that is modelled, or what a load of one that is not returns.
    """

    text: str
    of: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that is not modelled, such as a floating-point number: it may be moved, stored and forgotten.

    With ``lost`` it is made of the value of a lane that a computed mask leaves out: to use it is undefined.  ``origin``
    says where it comes from, ``formula`` how it is computed, as far as that is known.
    """

    bytes: int
    lost: bool = False
    origin: Origin = Origin.OTHER
    formula: Formula | None = None


def without_formula(content: _T) -> _T:
    """A content of which nothing is known if it is not modelled."""
    return replace(content, formula=None) if isinstance(content, Opaque) else content


def loaded(size: int, value: Value) -> Opaque:
    """What a load returns that has ``value`` for its result."""
    return Opaque(size, formula=Formula("?", (value,)))


def made_of(size: int, *parts: object, by: str = "") -> Opaque:
    """The content that is computed from some contents, if it is not modelled; ``by`` names the operation.

    What a clock says stays that beside constants and what the program knows, such as a limit.
    """
    unknown = [part for part in parts if isinstance(part, Opaque)]
    origin = max((part.origin for part in unknown), default=Origin.CONSTANT)
    return Opaque(size, any(part.lost for part in unknown), origin, _applied(by, size, parts))


def _applied(by: str, size: int, parts: tuple[object, ...]) -> Formula | None:
    """The formula of an operation, unless it is too long or compilers may compute it in two ways.

    nvcc fuses a product and a sum (``-fmad=true``, its default), in one copy of the code perhaps and not in another.
    """
    found = [_formula(part) for part in parts]
    if not by or None in found:
        return None
    known = [formula for formula in found if formula is not None]
    if by.startswith(("fadd", "fsub")) and any("fmul" in formula.text for formula in known):
        return None
    text = f"{by}{size}({', '.join(formula.text for formula in known)})"
    of = tuple(value for formula in known for value in formula.of)
    return Formula(text, of) if len(text) <= _LONGEST and len(of) <= _MOST else None


def _formula(part: object) -> Formula | None:
    match part:
        case Opaque(formula=formula):
            return formula
        case Const(value):
            return Formula(str(value))
        case _ if isinstance(part, get_args(Value)):
            return Formula("?", (part,))
        case _:
            return None
