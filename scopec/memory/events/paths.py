"""Conditions on the paths that all threads take together: guards, combined.

One guard of many threads would be a large decision diagram; a formula over the guards of each stays as small as it is
written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, assert_never

from scopec.base.records import dataclass
from scopec.memory.events.guards import Guard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Not:
    """The paths on which ``operand`` does not hold."""

    operand: Paths


@dataclass(frozen=True, slots=True)
class All:
    """The paths on which all of ``parts`` hold."""

    parts: tuple[Paths, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """The paths on which some of ``parts`` hold."""

    parts: tuple[Paths, ...]


Paths: TypeAlias = Guard | Not | All | Some
ALWAYS, NEVER = All(()), Some(())


def every(parts: Iterable[Paths]) -> Paths:
    """The conjunction, folded."""
    kept: list[Paths] = []
    for part in parts:
        if is_always(part):
            continue
        if is_never(part):
            return NEVER
        kept += part.parts if isinstance(part, All) else (part,)
    return kept[0] if len(kept) == 1 else All(tuple(kept))


def some(parts: Iterable[Paths]) -> Paths:
    """The disjunction, folded."""
    kept: list[Paths] = []
    for part in parts:
        if is_never(part):
            continue
        if is_always(part):
            return ALWAYS
        kept += part.parts if isinstance(part, Some) else (part,)
    return kept[0] if len(kept) == 1 else Some(tuple(kept))


def at_least(count: int, parts: Sequence[Paths]) -> Paths:
    """The paths on which so many of some conditions hold: as large as there are ways to choose so many."""
    if count <= 0:
        return ALWAYS
    if count > len(parts):
        return NEVER
    first, *rest = parts
    return some((every((first, at_least(count - 1, rest))), at_least(count, rest)))


def negated(paths: Paths) -> Paths:
    """The negation."""
    match paths:
        case Guard():
            return ~paths
        case Not(operand):
            return operand
        case All(()):
            return NEVER
        case Some(()):
            return ALWAYS
        case _:
            return Not(paths)


def is_always(paths: Paths) -> bool:
    """Whether it holds on all paths, as far as that is written there."""
    return paths.always if isinstance(paths, Guard) else paths == ALWAYS


def is_never(paths: Paths) -> bool:
    """Whether it holds on no path, as far as that is written there."""
    return paths.never if isinstance(paths, Guard) else paths == NEVER


def holds(paths: Paths, outcomes: Sequence[bool]) -> bool:
    """Whether it holds where condition ``i`` came out as ``outcomes[i]``."""
    match paths:
        case Guard():
            return paths.holds(outcomes)
        case Not(operand):
            return not holds(operand, outcomes)
        case All(parts):
            return all(holds(part, outcomes) for part in parts)
        case Some(parts):
            return any(holds(part, outcomes) for part in parts)
        case _:
            assert_never(paths)


def guards(paths: Paths) -> Iterator[Guard]:
    """The guards that it is made of."""
    match paths:
        case Guard():
            yield paths
        case Not(operand):
            yield from guards(operand)
        case All(parts) | Some(parts):
            for part in parts:
                yield from guards(part)
        case _:
            assert_never(paths)
