"""Bytes of shared memory to which a program gives types by pointers into them: ``(Storage*)smem``, ``(float*)smem``.

Each byte is of the number that accesses are of (ISO C++ [basic.types.general]: an array of bytes provides storage for
other objects).  Pointers to classes say what lies where they point, by name; elsewhere accesses say it: a run of bytes
has numbers of the width of the narrowest access there, and untouched bytes are as those before them.  A wider plain
access is one of several numbers then.  An array that is accessed as bytes alone stays one.
"""

from __future__ import annotations

from dataclasses import field
from itertools import groupby
from typing import TYPE_CHECKING

from scopec.base.records import dataclass, replace
from scopec.frontends.clang.llvm.debug import Leaf
from scopec.frontends.clang.llvm.numbers import signed
from scopec.frontends.clang.machine.memory import Kind, Layout, Memory, Part, every_position, is_cut, object_name
from scopec.frontends.clang.machine.names import mentioned
from scopec.program import ir
from scopec.program.types import ULONG, IntType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Classes, and where they lie: their numbers.
View = tuple[int, tuple[Leaf, ...]]


@dataclass
class Untyped:
    """What pointers and accesses say of arrays of bytes in shared memory, by the arrays' names; and as what
    shared memory is declared."""

    views: dict[str, set[View]] = field(default_factory=dict)
    parts: dict[str, set[Part]] = field(default_factory=dict)
    declared: dict[str, tuple[Leaf, ...]] = field(default_factory=dict)

    def typed(self, layout: Layout, storage: ir.Storage, text: str) -> Layout:
        """A layout with the numbers that an array of bytes has, in a program of a text."""
        if storage is not ir.Storage.SHARED:
            return layout
        self.declared[layout.name] = layout.leaves
        if not _is_bytes(layout):
            return layout
        name = _variable(layout.name)
        if mentioned(text, name.partition("#")[0]):  # it counts bytes
            return layout
        parts = self.parts.setdefault(name, set())
        if not parts:
            return layout
        ((size, _),) = layout.leaves[0].extents
        return replace(layout, leaves=_leaves(size, self.views.get(name, set()), parts))

    def points(self, region: str, at: int, leaves: tuple[Leaf, ...]) -> None:
        """Note that a pointer to a class, or to an array, points somewhere."""
        if leaves and (len(leaves) > 1 or leaves[0].path):
            self.views.setdefault(_variable(region), set()).add((at, leaves))

    def is_one(self, region: Memory) -> bool:
        """Whether a region is such an array."""
        return _variable(region.name) in self.parts

    def runs(self, layouts: Iterable[Layout]) -> Iterator[str]:
        """The objects that such arrays are, of those that are several: an index of one may lead into another."""
        for layout in layouts:
            if len(layout.leaves) > 1 and self.is_one(Memory(layout.name)):
                yield from (object_name(layout.name, leaf) for leaf in layout.leaves)

    def found(self, region: str, at: int, size: int, kind: Kind | None = None) -> bool:
        """Whether it is news that there is an access to a number of some bytes."""
        parts = self.parts.get(_variable(region))
        if parts is None or (at, size, kind) in parts:
            return False
        parts.add((at, size, kind))
        return True


def _variable(region: str) -> str:
    """The name of a variable, the same in each block and grid: blocks of a cluster see each other's."""
    return region.rpartition(".")[2]


def _is_bytes(layout: Layout) -> bool:
    if len(layout.leaves) != 1 or layout.known is not None:
        return False
    (leaf,) = layout.leaves
    plain = not (leaf.pointer or leaf.class_ or leaf.overlaps or leaf.bits or leaf.offset)
    return plain and leaf.type.size == 1 and leaf.path == "[]" and len(leaf.extents) == 1


def _leaves(size: int, views: Iterable[View], parts: set[Part]) -> tuple[Leaf, ...]:
    """The numbers of so many bytes: those of the largest classes, and of accesses elsewhere."""
    taken = bytearray(size)
    found: list[Leaf] = []
    for at, leaves in sorted(views, key=lambda view: (-_end(view[1]), view[0])):
        for leaf in leaves:
            here = replace(leaf, path=f"+{at}{leaf.path}" if at else leaf.path, offset=at + leaf.offset)
            positions = list(every_position(here))
            bytes_ = [one + n for one in positions for n in range(leaf.type.size)]
            inside = bytes_ and min(bytes_) >= 0 and max(bytes_) < size
            if not inside or any(taken[byte] for byte in bytes_) or is_cut(here, positions, parts):
                continue
            for byte in bytes_:
                taken[byte] = 1
            found.append(here)
    found += [leaf for begin, end in _free(taken) for leaf in _accessed(begin, end, parts)]
    if len(found) == 1:
        return (replace(found[0], path="[]"),) if found[0].extents else tuple(found)
    return tuple(sorted(found, key=lambda leaf: leaf.offset))


def _end(leaves: Iterable[Leaf]) -> int:
    return max(at + leaf.type.size for leaf in leaves for at in every_position(leaf))


def _free(taken: bytearray) -> Iterator[tuple[int, int]]:
    at = 0
    for is_taken, run in groupby(taken):
        length = len(list(run))
        if not is_taken:
            yield at, at + length
        at += length


@dataclass(frozen=True)
class _Run:
    """Numbers of one width and kind in a row, from a byte on."""

    begin: int
    width: int
    kind: Kind | None

    def goes_on(self, other: _Run) -> bool:
        """Whether numbers behind it are some more of the same."""
        same = (self.width, self.kind) == (other.width, other.kind)
        return same and (other.begin - self.begin) % self.width == 0


def _runs(parts: Iterable[Part]) -> Iterator[_Run]:
    """The numbers that accesses are of: those that overlap are of as many numbers of one width."""
    together: list[Part] = []
    for part in (*sorted(parts, key=lambda part: part[:2]), None):
        if together and (part is None or part[0] >= max(at + size for at, size, _ in together)):
            begin, width = together[0][0], min(size for _, size, _ in together)
            while any((edge - begin) % width for at, size, _ in together for edge in (at, at + size)):
                width //= 2
            (kind, *others) = {kind for _, _, kind in together}
            yield _Run(begin, width, None if others else kind)
            together = []
        if part is not None:
            together.append(part)


def _accessed(begin: int, end: int, parts: Iterable[Part]) -> Iterator[Leaf]:
    """The numbers of bytes that are in no class, as accesses are of them."""
    inside = [part for part in parts if begin <= part[0] and part[0] + part[1] <= end]
    runs: list[_Run] = []
    for run in _runs(inside):
        if not runs or not runs[-1].goes_on(run):
            runs.append(run)
    if not runs:
        yield from _array(begin, end, 1, None)
        return
    ends = [*(run.begin for run in runs[1:]), end]
    for n, (run, stop) in enumerate(zip(runs, ends, strict=True)):
        first = run.begin if n else begin + (run.begin - begin) % run.width
        last = first + (stop - first) // run.width * run.width
        yield from _array(begin, first, 1, None) if n == 0 else ()
        yield from _array(first, last, run.width, run.kind)
        yield from _array(last, stop, 1, None)


def _array(begin: int, end: int, width: int, kind: Kind | None) -> Iterator[Leaf]:
    if begin >= end:
        return
    type_ = signed(8 * width)
    if kind is Kind.FLOAT:
        type_ = IntType("float" if width <= 4 else "double", 8 * width, signed=True)
    elif kind is Kind.POINTER:
        type_ = ULONG
    extents = (((end - begin) // width, width),)
    yield Leaf(f"+{begin}[]", begin, type_, pointer=kind is Kind.POINTER, extents=extents)
