"""The elements of large allocations that a program tells apart; of others, which copies and fills alone access, few.

Elements of an allocation to which no other access goes, and which the same copies and fills cover, are alike: what
races on one of them races on each, and no value of them is ever looked at.  So the first element of each such class
stands for all of it.  A run of all threads finds the elements that they access, from those with which it began; when
it finds no more, these are the ones that are modelled.  An allocation of which an index is known at run time alone
has all of its elements.
"""

from __future__ import annotations

from dataclasses import field
from math import prod
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.frontends.clang.machine.memory import Layout, Memory, covered, object_name
from scopec.program import ir
from scopec.program.effects import place_of
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scopec.base.source import Span
    from scopec.frontends.clang.llvm.debug import Leaf

#: Allocations of up to so many elements have all of them.
MOST_TOLD_APART = 4096
#: A copy or fill is of so many numbers at most where they are not alike.
MOST_MOVED = 1 << 16
#: After so many runs that found more elements an allocation has all of them.
_MOST_RUNS = 20


@dataclass
class Sparse:
    """What earlier runs found of allocations: ``kept`` elements by region, and those that have ``whole`` ones.

    ``all_whole`` says that every allocation has all of its elements, so that nothing is left out.
    """

    all_whole: bool = False
    kept: dict[str, frozenset[int]] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    #: How often more elements were found.
    runs: dict[str, int] = field(default_factory=dict)

    def elements(self, name: str, leaves: tuple[Leaf, ...]) -> frozenset[int] | None:
        """The elements that a region has so far; None if it has all of them."""
        count = leaves[0].extents[0][0] if leaves and leaves[0].extents else 0
        simple = all(
            leaf.extents[:1] == leaves[0].extents[:1]
            and not (leaf.bits or leaf.overlaps or leaf.class_ or leaf.pointer)
            for leaf in leaves
        )
        if self.all_whole or count <= MOST_TOLD_APART or not simple or name in self.whole:
            return None
        return self.kept.setdefault(name, frozenset([0]))

    def grew(self, layouts: Mapping[Memory, Layout], bodies: Iterable[ir.Body]) -> bool:
        """Whether these graphs, of all threads, access more elements than this run began with."""
        owners = {
            object_name(layout.name, leaf): (layout.name, prod(count for count, _ in leaf.extents[1:]))
            for layout in layouts.values() if layout.kept is not None for leaf in layout.leaves
        }  # fmt: skip
        if not owners:
            return False
        found = {name: set(self.kept[name]) for name, _ in owners.values()}
        whole = set()
        for body in bodies:
            for node in body.nodes.values():
                place = place_of(node.operation) if isinstance(node, ir.Do) else None
                if place is None or place.object not in owners:
                    continue
                name, inner = owners[place.object]
                if isinstance(place.index, Const):
                    found[name].add(max(0, place.index.value // inner))
                else:
                    whole.add(name)
        for name, elements in found.items():
            if elements - self.kept[name]:
                self.runs[name] = self.runs.get(name, 0) + 1
                if self.runs[name] > _MOST_RUNS:
                    whole.add(name)
        news = bool(whole) or any(elements - self.kept[name] for name, elements in found.items())
        self.whole |= whole
        self.kept |= {name: frozenset(elements) for name, elements in found.items()}
        return news

    def moved(self, size: int, span: Span, *sides: tuple[Layout, int]) -> list[list[tuple[int, Leaf]]]:
        """The numbers of each side, a layout and an offset, that a copy or fill of so many bytes is of.

        They are those of :func:`covered`; of elements that are alike in each side only some.
        """
        chosen = [self._chosen(layout, offset, size) for layout, offset in sides]
        known = [one for one in chosen if one is not None]
        if len(known) < len(chosen):
            return [self._all(layout, offset, size, span) for layout, offset in sides]
        parts: list[tuple[int, int]] = []
        for begin, end in sorted(set().union(*known)):
            if parts and begin < parts[-1][1]:
                parts[-1] = parts[-1][0], max(parts[-1][1], end)
            else:
                parts.append((begin, end))
        return [
            [
                (at + begin, leaf)
                for begin, end in parts
                for at, leaf in covered(layout, offset + begin, end - begin)
            ]
            for layout, offset in sides
        ]  # fmt: skip

    def _all(self, layout: Layout, offset: int, size: int, span: Span) -> list[tuple[int, Leaf]]:
        """All numbers that a side covers."""
        count = size // min((leaf.type.size for leaf in layout.leaves), default=1)
        if count > MOST_MOVED:
            message = f"a copy or fill of {count:,} numbers, an index of which is known at run time alone"
            raise error(Code.TOO_LARGE, message, span, f"use constant indices on the host, or at most {MOST_MOVED:,}")
        return list(covered(layout, offset, size))

    def _chosen(self, layout: Layout, offset: int, size: int) -> set[tuple[int, int]] | None:
        """The bytes of the elements of a side that are modelled, from where it begins; None for all of them."""
        if layout.kept is None:
            return None
        _, distance = layout.leaves[0].extents[0]
        edge = offset, offset + size, distance
        elements = {n for n in (*_points(*edge), *layout.kept) if n in _elements(*edge)}
        return {(max(0, n * distance - offset), min(size, (n + 1) * distance - offset)) for n in elements}


def _elements(begin: int, end: int, distance: int) -> range:
    """The elements of which some bytes are among these, where elements begin so many bytes apart."""
    return range(begin // distance, -(-end // distance))


def _points(begin: int, end: int, distance: int) -> tuple[int, ...]:
    """The elements at which what these bytes cover of an element changes."""
    return begin // distance, -(-begin // distance), end // distance, -(-end // distance)


def sparse_objects(layout: Layout, storage: ir.Storage, span: Span, use: ir.Use) -> Iterable[ir.Object]:
    """The program's objects of a region of which some elements are modelled, without initial values."""
    assert layout.kept is not None
    length = 1 + max(layout.kept)
    for leaf in layout.leaves:
        extents = tuple(count for count, _ in leaf.extents)
        values = (None,) * (length * prod(extents[1:]))
        yield ir.Object(
            object_name(layout.name, leaf), span, leaf.type, storage, values, array=True, use=use, shape=extents,
            left_out=True,
        )  # fmt: skip
