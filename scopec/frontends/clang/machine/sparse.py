"""The elements of large arrays that a program tells apart; of others, which copies and fills alone access, few.

Elements of an array to which no other access goes, and which the same copies, fills and reads of matrices cover, are
alike: what races on one of them races on each, and no value of them is ever looked at.  So the first element of each
such class stands for all of it, and with it those of other arrays to or from which it is copied.  A run of all threads
finds the elements that they access, from those with which it began; when it finds no more, these are the ones that are
modelled.  An array of which an index is known at run time alone has all of its elements.

These are the arrays of large allocations, and those of which an asynchronous copy or a matrix has many elements.

Example: a box of 64 rows is loaded into a stage, and two matrices of it are read, rows 0 to 31 and 32 to 63.  Two
elements of the stage are modelled, the first ones of the rows 0 and 32.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field
from math import prod
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.frontends.clang.machine.memory import USES, Layout, Memory, covered, object_name, object_of, shape
from scopec.program import ir
from scopec.program.effects import place_of
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scopec.base.source import Span
    from scopec.frontends.clang.llvm.debug import Leaf

#: Allocations of up to so many elements have all of them.
MOST_TOLD_APART = 4096
#: A copy or fill is of so many numbers at most where they are not alike.
MOST_MOVED = 1 << 16
#: Of an array of which an asynchronous copy, or a matrix, has more elements than these, not all are modelled.
MOST_EACH = 64
#: After so many runs that found more elements an array has all of them.
_MOST_RUNS = 20

#: The elements that one copy, fill or matrix has of an array: intervals in order, none of which touch.
_Set = tuple[range, ...]


@dataclass
class Sparse:
    """What earlier runs found of arrays, by their names.

    ``kept`` are the elements of those that are modelled in part; ``whole`` ones have all.  ``all_whole`` says that
    every array has all of its elements, so that nothing is left out.  ``sets`` are the elements that one copy or matrix
    has.
    """

    all_whole: bool = False
    kept: dict[str, frozenset[int]] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    #: How often more elements were found.
    runs: dict[str, int] = field(default_factory=dict)
    sets: dict[str, set[_Set]] = field(default_factory=lambda: defaultdict(set))

    # ---------------------------------------------------------------- arrays of which few elements are modelled

    def elements(self, region: str, leaf: Leaf) -> frozenset[int] | None:
        """The elements that are modelled of an array so far; None for all."""
        return self.kept.get(object_name(region, leaf))

    def allocated(self, region: str, leaves: Sequence[Leaf]) -> bool:
        """Whether an allocation is a large one, of which few elements are modelled."""
        if all(map(_is_simple, leaves)) and any(prod(shape(leaf)) > MOST_TOLD_APART for leaf in leaves):
            for leaf in leaves:
                self._keep(object_name(region, leaf))
        return all(self.elements(region, leaf) is not None for leaf in leaves)

    def last(self, region: str, leaves: Sequence[Leaf]) -> int:
        """The last element that is modelled of arrays of which few are."""
        return max(max(self.kept[object_name(region, leaf)]) for leaf in leaves)

    def want(self, layout: Layout, runs: Sequence[range]) -> bool:
        """Whether it is news that few elements of arrays are to be modelled, of which one copy has these bytes."""
        large = [
            object_name(layout.name, leaf)
            for leaf in layout.leaves
            if _is_simple(leaf) and sum(len(_elements(leaf, run.start, run.stop)) for run in runs) > MOST_EACH
        ]
        return sum(map(self._keep, large)) > 0

    def _keep(self, name: str) -> bool:
        """Model few elements of an array from now on; whether that is news."""
        if self.all_whole or name in self.whole or name in self.kept:
            return False
        self.kept[name] = frozenset([0])
        return True

    def make_whole(self, names: Iterable[str]) -> None:
        """Model all elements of these arrays from now on."""
        self.whole.update(names)
        for name in self.whole:
            self.kept.pop(name, None)

    def objects(
        self, layout: Layout, storage: ir.Storage, span: Span, initial: Mapping[int, int | None], *, zero: bool
    ) -> Iterable[ir.Object]:
        """The program's objects of a region; ``initial`` are values by offset, others are ``zero`` or unknown.

        Of an array that is modelled in part they have the elements up to the last that is.
        """
        if any(initial.values()):
            self.make_whole(object_name(layout.name, leaf) for leaf in layout.leaves)
        for leaf in layout.leaves:
            kept = self.elements(layout.name, leaf)
            if kept is None:
                yield object_of(layout.name, leaf, storage, span, initial, zero=zero)
            else:
                yield ir.Object(
                    object_name(layout.name, leaf), span, leaf.type, storage, (0 if zero else None,) * (1 + max(kept)),
                    array=True, shape=shape(leaf), left_out=True,
                )  # fmt: skip

    # ---------------------------------------------------------------- copies

    def moved(self, size: int, span: Span, *sides: tuple[Layout, int]) -> list[list[tuple[int, Leaf]]]:
        """The numbers of each side, a layout and an offset, that a copy or fill of so many bytes is of.

        They are those of :func:`covered`; of elements that are alike in each side only some.
        """
        parts = [
            (begin, end)
            for _, begin, end in self.together([(size, *(at for _, at in sides))], [layout for layout, _ in sides])
        ]
        smallest = min((leaf.type.size for layout, _ in sides for leaf in layout.leaves), default=1)
        count = sum(end - begin for begin, end in parts) // smallest
        if count > MOST_MOVED:
            message = f"a copy or fill of {count:,} numbers, an index of which is known at run time alone"
            raise error(Code.TOO_LARGE, message, span, f"use constant indices on the host, or at most {MOST_MOVED:,}")
        return [
            [
                (at + begin, leaf)
                for begin, end in parts
                for at, leaf in covered(layout, offset + begin, end - begin)
            ]
            for layout, offset in sides
        ]  # fmt: skip

    def together(self, runs: Sequence[tuple[int, ...]], layouts: Sequence[Layout]) -> list[tuple[int, int, int]]:
        """The bytes that a copy of several runs moves of those elements that are modelled.

        A run is its size and where it begins in each of the layouts, that of its source and those of its targets, or in
        one alone.  Each result is the number of a run, and where bytes of it begin and end.
        """
        chosen: list[set[tuple[int, int]]] = [set() for _ in runs]
        for side, layout in enumerate(layouts, 1):
            for leaf in layout.leaves:
                own = [_elements(leaf, run[side], run[side] + run[0]) for run in runs]
                for number, wanted in enumerate(self._modelled(layout.name, leaf, own)):
                    first = runs[number][side]
                    for elements in wanted:
                        begin, end = _byte(leaf, elements.start), _byte(leaf, elements.stop - 1) + leaf.type.size
                        chosen[number].add((max(0, begin - first), min(runs[number][0], end - first)))
        return [(number, begin, end) for number, parts in enumerate(chosen) for begin, end in _disjoint(parts)]

    def _modelled(self, region: str, leaf: Leaf, runs: Sequence[range]) -> list[list[range]]:
        """The elements of an array in each of the runs of one copy that are modelled."""
        kept, elements = self.elements(region, leaf), _merged(runs)
        if kept is None or not elements:
            return [[run] if run else [] for run in runs]
        self.sets[object_name(region, leaf)].add(elements)
        wanted = {n for n in kept if any(n in one for one in elements)} or {elements[0].start}
        return [[range(n, n + 1) for n in wanted if n in run] for run in runs]

    # ---------------------------------------------------------------- the elements that a run has found

    def grew(self, layouts: Mapping[Memory, Layout], bodies: Iterable[ir.Body]) -> bool:
        """Whether these graphs, of all threads, access more elements than this run began with."""
        names = (object_name(layout.name, leaf) for layout in layouts.values() for leaf in layout.leaves)
        found = {name: {*self.kept[name], *_first_of_classes(self.sets[name])} for name in names if name in self.kept}
        if not found:
            return False
        whole = set()
        for body in bodies:
            for node in body.nodes.values():
                place = place_of(node.operation) if isinstance(node, ir.Do) else None
                if place is None or place.object not in found:
                    continue
                if isinstance(place.index, Const):
                    found[place.object].add(max(0, place.index.value))
                else:
                    whole.add(place.object)
        more = {name for name, elements in found.items() if elements - self.kept[name]}
        for name in more:
            self.runs[name] = self.runs.get(name, 0) + 1
            if self.runs[name] > _MOST_RUNS:
                whole.add(name)
        self.kept |= {name: frozenset(elements) for name, elements in found.items()}
        self.make_whole(whole)
        return bool(whole or more)


def _first_of_classes(sets: Iterable[_Set]) -> set[int]:
    """The first element of each class of elements that are in the same sets, in some."""
    bounds: dict[int, list[int]] = defaultdict(list)
    for number, intervals in enumerate(sets):
        for one in intervals:
            bounds[one.start].append(number)
            bounds[one.stop].append(number)
    inside: set[int] = set()
    first: dict[frozenset[int], int] = {}
    for at in sorted(bounds):
        for number in bounds[at]:
            inside ^= {number}
        if inside:
            first.setdefault(frozenset(inside), at)
    return set(first.values())


# ---------------------------------------------------------------- elements and their bytes


def _is_simple(leaf: Leaf) -> bool:
    """Whether a leaf is an array of numbers."""
    return bool(leaf.extents) and not (leaf.bits or leaf.overlaps or leaf.pointer or leaf.class_ in USES)


def _elements(leaf: Leaf, begin: int, end: int) -> range:
    """The elements of which some bytes are among these."""
    return range(_before(leaf, begin - leaf.type.size + 1), _before(leaf, end))


def _before(leaf: Leaf, byte: int) -> int:
    """The number of elements that begin before a byte."""
    rest, found = byte - leaf.offset, 0
    if rest <= 0:
        return 0
    each = prod(shape(leaf))
    for count, distance in leaf.extents:
        if not each:
            return 0
        each //= count
        whole = (rest - 1) // distance if distance else count
        if whole >= count:
            return found + count * each
        found += whole * each
        rest -= whole * distance
    return found + 1


def _byte(leaf: Leaf, element: int) -> int:
    """The byte at which an element begins."""
    at = leaf.offset
    for count, distance in reversed(leaf.extents):
        element, place = divmod(element, count)
        at += place * distance
    return at


def _merged(runs: Iterable[range]) -> _Set:
    """The numbers in some of these ranges, as intervals."""
    return tuple(range(begin, end) for begin, end in _disjoint((run.start, run.stop) for run in runs if run))


def _disjoint(parts: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Intervals of the same numbers, none of which touch, in order."""
    found: list[tuple[int, int]] = []
    for begin, end in sorted(set(parts)):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((begin, end))
    return found
