"""Numbers that branches alone decide, as a phase of a barrier is the number of arrivals on the way."""

from __future__ import annotations

from collections import defaultdict
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from scopec.program.types import ArithmeticFault
from scopec.program.values import Binary, Choose, Const, Named, applied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from scopec.memory.events.guards import Guard, Guards
    from scopec.program.values import Value


def alike(left: Value, right: Value, literal: Callable[[Value], Guard], guards: Guards) -> Guard | None:
    """Where two values are one number, over the branches that decide them; None if something else does."""
    mine, its = _cases(left, literal, guards), _cases(right, literal, guards)
    if mine is None or its is None:
        return None
    return reduce(or_, (mine[number] & its[number] for number in mine.keys() & its.keys()), guards.never)


def _cases(value: Value, literal: Callable[[Value], Guard], guards: Guards) -> Mapping[int, Guard] | None:
    """Where a value is which number."""

    def joined(parts: Iterable[tuple[int, Guard]]) -> Mapping[int, Guard]:
        found: dict[int, Guard] = defaultdict(lambda: guards.never)
        for number, here in parts:
            found[number] |= here
        return found

    match value:
        case Const(number):
            return {number: guards.always}
        case Named(_, long):
            return _cases(long, literal, guards)
        case Choose(condition, then, otherwise):
            sides = _cases(then, literal, guards), _cases(otherwise, literal, guards)
            if sides[0] is None or sides[1] is None:
                return None
            test = literal(condition)
            ways = ((test, sides[0]), (~test, sides[1]))
            return joined((number, side & here) for side, cases in ways for number, here in cases.items())
        case Binary("+", left, Const(more)):
            cases = _cases(left, literal, guards)
            try:
                return cases and joined((applied(value, (number, more)), here) for number, here in cases.items())
            except ArithmeticFault:
                return None
        case _:
            return None
