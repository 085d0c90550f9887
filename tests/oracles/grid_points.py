"""Accesses of grids of one thread that nothing orders, by edges between points: their starts, operations and ends."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

#: A grid, and a place in it: 0 is its start, 1 its first operation, and one more than it has operations its end.
Point: TypeAlias = tuple[Hashable, int]


class Points:
    """Grids by name, with what each does in order: "x" reads an object, "x=" writes it, other words access nothing."""

    def __init__(self, grids: Mapping[Hashable, Sequence[str]]) -> None:
        self.grids = grids
        self.after: dict[Point, set[Point]] = {}
        for name in grids:
            for at in range(self.end(name)[1]):
                self.edge((name, at), (name, at + 1))

    def end(self, name: Hashable) -> Point:
        """The end of a grid."""
        return name, len(self.grids[name]) + 1

    def edge(self, one: Point, other: Point) -> None:
        """Order one point before another."""
        self.after.setdefault(one, set()).add(other)

    def unordered(self) -> bool:
        """Whether two accesses conflict, a write with another access to its object, and no edges order them."""
        accesses = [
            ((name, at + 1), what.rstrip("="), what.endswith("="))
            for name, does in self.grids.items()
            for at, what in enumerate(does)
            if what[0] in "xyz"
        ]
        return any(
            name == its and (writes or also) and not self._reaches(one, other) and not self._reaches(other, one)
            for (one, name, writes), (other, its, also) in combinations(accesses, 2)
        )

    def _reaches(self, one: Point, other: Point) -> bool:
        seen, left = set[Point](), [one]
        while left:
            here = left.pop()
            if here == other:
                return True
            if here not in seen:
                seen.add(here)
                left += self.after.get(here, ())
        return False
