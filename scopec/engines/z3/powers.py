"""Numbers that are multiplied or divided by a constant some times, for z3.

Each is a function of where it begins and of how often; what is stated of it holds of all numbers, or of those that
begin at 0 or above, which is as far as the roundings of quotients agree.
"""

from __future__ import annotations

import itertools
from typing import Any

import z3

from scopec.base.records import dataclass
from scopec.program.anythread import Term

#: So often at most a number is exactly known.
_MOST_TIMES = 14


@dataclass(frozen=True)
class Power:
    """One number: whether it grows, by which factor, from where, how often."""

    grows: bool
    factor: int
    name: str
    start: Any
    times: Any
    value: Any


def made(term: Term, start: Any, times: Any) -> Power:
    """A term, the arguments of which are given."""
    name = f"{term.op} by {term.value} {term.name}"
    value = z3.Function(name, z3.IntSort(), z3.IntSort(), z3.IntSort())(start, times)
    return Power(term.op == "grown", term.value, name, start, times, value)


def facts(known: list[Power], *, exact: bool) -> list[Any]:
    """What is known of powers."""
    found = [fact for power in known for fact in _alone(power, _MOST_TIMES if exact else 2)]
    for one, other in itertools.permutations(known, 2):
        if one.name == other.name:
            found += _together(one, other)
    return found


def _alone(power: Power, most: int) -> list[Any]:
    start, times, value, factor = power.start, power.times, power.value, power.factor
    natural = start >= 0
    found = [z3.Implies(z3.And(times >= 0, start == 0), value == 0)]
    for number in range(most):
        whole = start * factor**number if power.grows else start / factor**number
        known = times == number if power.grows else z3.And(natural, times == number)
        found.append(z3.Implies(known, value == whole))
    if power.grows:
        found.append(z3.Implies(z3.And(natural, times >= 0), value >= start))
        found.append(z3.Implies(z3.And(natural, times >= 1), value >= factor * start))
        found.append(z3.Implies(z3.And(start < 0, times >= 0), value <= start))
    else:
        found.append(z3.Implies(z3.And(natural, times >= 0), z3.And(value >= 0, value <= start)))
        found.append(z3.Implies(z3.And(natural, times >= 1), factor * value <= start))
    return found


def _together(one: Power, later: Power) -> list[Any]:
    """What is known of two that begin alike, one of which goes on longer."""
    alike = z3.And(one.start == later.start, one.times >= 0)
    natural = z3.And(alike, one.start >= 0)
    if one.grows:
        return [
            z3.Implies(z3.And(alike, later.times == one.times + 1), later.value == one.factor * one.value),
            z3.Implies(z3.And(natural, later.times > one.times), later.value >= one.factor * one.value),
        ]
    return [
        z3.Implies(z3.And(natural, later.times == one.times + 1), later.value == one.value / one.factor),
        z3.Implies(z3.And(natural, later.times > one.times), one.factor * later.value <= one.value),
    ]
