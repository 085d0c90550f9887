"""Footprints: the effects of an instruction, calls included, that may not commute with those of another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, product
from typing import TypeAlias, TypeVar

from scopec.base.records import dataclass
from scopec.frontends.clang.machine.memory import Private
from scopec.program import ir
from scopec.program.values import Const

_T = TypeVar("_T")
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


#: The footprint of each instruction of a thread.
Touched: TypeAlias = dict[Site, list[Touch]]

_NOTICED = Touch()


def each_once(touched: Touched) -> Touched:
    """The footprints without those that are there twice, as of a loop's turns."""
    return {site: list(dict.fromkeys(touches)) for site, touches in touched.items()}


def touch_of(operation: ir.Operation) -> Touch | None:
    """The footprint of an operation of the program; None if it commutes with everything."""
    match operation:
        case ir.Set() | ir.Assert() | ir.Decide() | ir.Lifetime(how=""):
            return None
        case ir.Load(_, ir.Place(object_, index), ir.PLAIN):
            return Touch(object_, index.value if isinstance(index, Const) else None, writes=False)
        case ir.Store(ir.Place(object_, index), _, ir.PLAIN):
            return Touch(object_, index.value if isinstance(index, Const) else None)
        case _:
            return _NOTICED


def conflicting(done: Mapping[_T, Iterable[Touch]]) -> Iterator[tuple[_T, _T]]:
    """Each two of some things of which it may make a difference which is done first."""
    at: dict[str | Private | None, list[int]] = {}
    writing: dict[str | Private | None, list[int]] = {}
    for number, touches in enumerate(done.values()):
        for of in {touch.of for touch in touches}:
            at.setdefault(of, []).append(number)
        for of in {touch.of for touch in touches if touch.writes}:
            writing.setdefault(of, []).append(number)
    noticed = at.pop(None, [])
    shared = sorted({n for of, numbers in at.items() if not isinstance(of, Private) for n in numbers}.union(noticed))
    two = [product(writing.get(of, ()), numbers) for of, numbers in at.items()]  # reads alone do not conflict
    pairs = {(min(pair), max(pair)) for pair in chain(*two, product(noticed, shared)) if pair[0] != pair[1]}
    names, touched = list(done), list(done.values())
    return ((names[a], names[b]) for a, b in sorted(pairs) if conflict(touched[a], touched[b]))


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
