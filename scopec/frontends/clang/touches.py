"""What an instruction does, with all that it calls, that may make a difference to what is done before or after it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from scopec.base.records import dataclass
from scopec.frontends.clang.memory import Private
from scopec.program import ir
from scopec.program.values import Const

#: An instruction by its function, its block and its position there.
Site: TypeAlias = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Touch:
    """A plain access to ``size`` units at ``start`` of an object or of private memory (None: it is not known where).

    With ``of`` None it is something that other threads may notice by itself, such as an atomic access.
    """

    of: str | Private | None = None
    start: int | None = None
    size: int = 1
    writes: bool = True


#: What each instruction of a thread did.
Touched: TypeAlias = dict[Site, set[Touch]]

_NOTICED = Touch()


def touch_of(operation: ir.Operation) -> Touch | None:
    """What an operation of the program touches; None if it is nobody's business."""
    match operation:
        case ir.Set() | ir.Assert() | ir.Decide():
            return None
        case ir.Load(_, ir.Place(object_, index), ir.PLAIN):
            return Touch(object_, index.value if isinstance(index, Const) else None, writes=False)
        case ir.Store(ir.Place(object_, index), _, ir.PLAIN):
            return Touch(object_, index.value if isinstance(index, Const) else None)
        case _:
            return _NOTICED


def conflict(one: Iterable[Touch], other: Iterable[Touch]) -> bool:
    """Whether it may make a difference which of two things is done first."""
    return any(_conflict(a, b) for a in one for b in other)


def _conflict(one: Touch, other: Touch) -> bool:
    if one.of is None or other.of is None:
        return not isinstance(one.of, Private) and not isinstance(other.of, Private)
    if one.of != other.of or not (one.writes or other.writes):
        return False
    if one.start is None or other.start is None:
        return True
    return one.start < other.start + other.size and other.start < one.start + one.size
