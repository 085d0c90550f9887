"""The machine's memory: what a register or cell may hold, private memory, the program's objects in bytes."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass, replace
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.debug import Bits, Leaf
from scopec.frontends.clang.llvm.numbers import Offset, arithmetic, number, resized, signed, unsigned
from scopec.frontends.clang.machine.opaque import Opaque, made_of
from scopec.program import ir, values
from scopec.program.types import BOOL, INT, LONG, ULONG, IntType
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scopec.base.source import Span

# ---------------------------------------------------------------- regions


@dataclass(frozen=True, slots=True)
class Private:
    """Memory of one thread that no other thread can name: a local variable, by the calls that lead to it."""

    calls: tuple[object, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory that threads may share: a global variable, an allocation, a local variable whose address gets around."""

    name: str


@dataclass(frozen=True, slots=True)
class Code:
    """A function, on the device or on the host."""

    name: str


@dataclass(frozen=True, slots=True)
class Nowhere:
    """The region of null pointers."""


Region: TypeAlias = Private | Memory | Code | Nowhere

# ---------------------------------------------------------------- what a register holds


@dataclass(frozen=True, slots=True)
class Address:
    """A place in a region."""

    region: Region
    offset: Offset = Offset()


@dataclass(frozen=True, slots=True)
class Held:
    """A pointer that was read: the number that stands for an address, which the program has in a register.

    ``among`` are the numbers that it may be, None for any.
    """

    value: Value
    among: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Unset:
    """Memory without a value; ``of`` is the number of a local variable that it is, its offset and its bits.

    Where some bits have one (:mod:`scopec.frontends.clang.machine.partly_set`), ``given`` are these, and ``value`` has
    them.
    """

    of: tuple[Private, int, int] | None = field(default=None, compare=False)
    value: Value | None = None
    given: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """The parts of a structure that is in a register."""

    parts: tuple[Content, ...]


Content: TypeAlias = Value | Address | Held | Opaque | Unset | Record


NULL = Address(Nowhere())

# ---------------------------------------------------------------- private memory


@dataclass(frozen=True, slots=True)
class Cell:
    """So many bytes that were written together."""

    bytes: int
    content: Content


Cells: TypeAlias = "dict[tuple[Private, int], Cell]"
#: There is a cell where a thread has arrived at the barrier of its cluster and does not wait yet.
ARRIVED = Private((), "%arrived"), 0


def overlapping(cells: Cells, region: Private, at: int, size: int) -> list[int]:
    """The beginnings of the cells that share bytes with so many from an offset."""
    return sorted(o for (r, o), c in cells.items() if r == region and o < at + size and at < o + c.bytes)


def read(cells: Cells, region: Private, at: int, size: int) -> Content:
    """So many bytes of private memory: as they were written, or put together of what was."""
    found = cells.get((region, at))
    if found is not None and found.bytes == size:
        return found.content
    result: Value | None = None
    for start in overlapping(cells, region, at, size):
        cell = cells[region, start]
        match cell.content:
            case Opaque() as whole:
                return made_of(size, whole)
            case Address() | Held() | Unset() | Record():
                return Unset()
            case content:
                bits = 8 * size
                wide = 8 * max(size, cell.bytes)
                part = resized("zext", content, wide)
                if start < at:
                    part = arithmetic("lshr", part, number(8 * (at - start), wide))
                part = resized("trunc", part, bits)
                if start > at:
                    part = arithmetic("shl", part, number(8 * (start - at), bits))
                result = part if result is None else arithmetic("or", result, part)
    return Unset() if result is None else result


def write(cells: Cells, region: Private, at: int, size: int, content: Content) -> None:
    """Write private memory; what is left of the cells around keeps its value."""
    for start in overlapping(cells, region, at, size):
        cell = cells.pop((region, start))
        end = start + cell.bytes
        for first, last in ((start, min(at, end)), (max(at + size, start), end)):
            if first < last:
                cells[region, first] = Cell(last - first, read({(region, start): cell}, region, first, last - first))
    cells[region, at] = Cell(size, content)


# ---------------------------------------------------------------- objects


@dataclass(frozen=True, slots=True)
class Layout:
    """A region of the program's objects: each leaf is an object of the program, or an array of them.

    ``known`` are the contents of memory that nobody writes, by offset; None for what may be written.
    """

    name: str
    leaves: tuple[Leaf, ...]
    known: Mapping[int, Content] | None = None


def leaves_of(type_: llvm.Type, offset: int = 0, extents: tuple[tuple[int, int], ...] = ()) -> tuple[Leaf, ...]:
    """The numbers of a type of which nothing but its form is known."""
    match type_:
        case llvm.Int(bits):
            return (Leaf("", offset, signed(8 * llvm.size(type_)) if bits > 1 else BOOL, extents=extents),)
        case llvm.Float(size):
            return (
                Leaf("", offset, IntType("float" if size <= 4 else "double", 8 * size, signed=True), extents=extents),
            )
        case llvm.Pointer():
            return (Leaf("", offset, ULONG, pointer=True, extents=extents),)
        case llvm.Array(count, inner):
            around = (*extents, (count, llvm.size(inner)))
            return tuple(replace(leaf, path=f"[]{leaf.path}") for leaf in leaves_of(inner, offset, around))
        case llvm.Struct(fields):
            parts = enumerate(zip(llvm.offsets(type_), fields, strict=True))
            return tuple(
                replace(leaf, path=f".{n}{leaf.path}")
                for n, (at, field) in parts
                for leaf in leaves_of(field, offset + at, extents)
            )
        case llvm.Void():
            return ()


def object_name(region: str, leaf: Leaf) -> str:
    """The name of an object of the program."""
    path = leaf.path
    while path.endswith("[]"):
        path = path[:-2]
    return region + path


def shape(leaf: Leaf) -> tuple[int, ...]:
    """The extents of the arrays that a leaf is in."""
    return tuple(count for count, _ in leaf.extents)


@dataclass(frozen=True, slots=True)
class Element:
    """A number in memory that an address means: which leaf, and the index in the array that it is."""

    leaf: Leaf
    index: Value


def element(layout: Layout, offset: Offset, size: int) -> Element | None:
    """The number at an offset; None where there is none of exactly that size."""
    for leaf in layout.leaves:
        if leaf.type.size == size and (found := _index_in(leaf, offset)) is not None:
            return Element(leaf, found)
    return _at_distance(layout, offset, size) or _beside(layout, offset, size)


def _at_distance(layout: Layout, offset: Offset, size: int) -> Element | None:
    """An element of the only array of a region, so many bytes on as are computed: none (-1) if they are no multiple."""
    if len(layout.leaves) != 1 or not offset.terms:
        return None
    (leaf,), apart = layout.leaves, size
    for count, distance in reversed(leaf.extents):
        if distance != apart:
            return None
        apart *= count
    known = offset.constant - leaf.offset
    if leaf.type.size != size or not leaf.extents or known % size:
        return None
    bytes_: Value = Const(known, LONG)
    for factor, value in offset.terms:
        bytes_ = values.binary("+", bytes_, values.binary("*", values.convert(value, LONG), Const(factor, LONG)))
    width = Const(size, LONG)
    whole = values.binary("==", values.binary("%", bytes_, width), Const(0, LONG))
    return Element(leaf, values.choose(whole, values.binary("/", bytes_, width), Const(-1, LONG)))


def _beside(layout: Layout, offset: Offset, size: int) -> Element | None:
    """An element that there is not, before or behind the only array or number of a region."""
    if len(layout.leaves) != 1 or offset.terms:
        return None
    (leaf,) = layout.leaves
    index, rest = divmod(offset.constant - leaf.offset, size)
    inside = 0 <= index < prod(shape(leaf))
    return None if leaf.type.size != size or rest or inside else Element(leaf, Const(index, INT))


def _index_in(leaf: Leaf, offset: Offset) -> Value | None:
    """The number of the element of a leaf at an offset, None where no element begins there."""
    rest = offset.constant - leaf.offset
    weights: list[int] = []
    weight = 1
    for count, _ in reversed(leaf.extents):
        weights.insert(0, weight)
        weight *= count
    index: Value | None = None
    for factor, value in offset.terms:
        place = next((n for n, (_, distance) in enumerate(leaf.extents) if factor % distance == 0), None)
        if place is None:
            return None
        times = factor // leaf.extents[place][1] * weights[place]
        term = values.binary("*", value, Const(times, INT)) if times != 1 else value
        index = term if index is None else values.binary("+", index, term)
    known, begins = 0, rest - offset.shift
    for (count, distance), own in zip(leaf.extents, weights, strict=True):
        if not 0 <= begins // distance < count:  # what a value is added to, not where that may lead
            return None
        begins %= distance
        known += rest // distance * own
        rest %= distance
    if rest:
        return None
    if index is None:
        return Const(known, INT)
    return values.binary("+", index, Const(known, INT)) if known else index


def covered(layout: Layout, offset: int, size: int) -> Iterator[tuple[int, Leaf]]:
    """The numbers that lie in so many bytes from an offset, with their offsets from there, in order."""
    found = []
    for leaf in layout.leaves:
        for at in _positions(leaf.offset, leaf.extents, offset, offset + size - leaf.type.size):
            found.append((at - offset, replace(leaf, extents=(), offset=at)))
    return iter(sorted(found, key=lambda pair: pair[0]))


def covers_none(layout: Layout, offset: int, size: int) -> bool:
    """Whether so many bytes from an offset have none in common with a number."""
    return not any(
        True
        for leaf in layout.leaves
        for _ in _positions(leaf.offset, leaf.extents, offset - leaf.type.size + 1, offset + size - 1)
    )


def cuts(layout: Layout, offset: int, size: int) -> bool:
    """Whether the ends of so many bytes from an offset lie in numbers."""
    return any(
        True
        for leaf in layout.leaves
        for end in (offset, offset + size)
        for _ in _positions(leaf.offset, leaf.extents, end - leaf.type.size + 1, end - 1)
    )


def extent(layout: Layout) -> int:
    """The bytes of a region up to its last number, and the padding behind that."""
    whole = [leaf for leaf in layout.leaves if all(count for count, _ in leaf.extents)]
    ends = [leaf.offset + sum((n - 1) * far for n, far in leaf.extents) + leaf.type.size for leaf in whole]
    aligned = max((leaf.type.size for leaf in layout.leaves), default=1)
    return -(-max(ends, default=0) // aligned) * aligned


class Kind(Enum):
    """The kind of a number to an access that is not of an integer."""

    FLOAT = "float"
    POINTER = "pointer"


def kind(leaf: Leaf) -> Kind | None:
    """The kind of a number, None for an integer."""
    return Kind.POINTER if leaf.pointer else Kind.FLOAT if leaf.type.is_float else None


#: An access to a part of a union: its offset, its size, and its kind if that has to be the number's.
Part: TypeAlias = tuple[int, int, Kind | None]


def every_position(leaf: Leaf) -> Iterable[int]:
    """Where the numbers that a leaf stands for begin."""
    return _positions(leaf.offset, leaf.extents)


def is_cut(leaf: Leaf, positions: Iterable[int], accessed: Iterable[Part]) -> bool:
    """Whether some access is of a part of a number at one of these positions, or of one of another kind."""
    size = leaf.type.size
    return any(
        (at < end and start < at + size and not start <= at <= at + size <= end)
        or (at == start and size == end - start and wanted not in (None, kind(leaf)))
        for start, end, wanted in ((start, start + wide, wanted) for start, wide, wanted in accessed)
        for at in positions
    )


def apart(leaves: Iterable[Leaf], accessed: Iterable[Part]) -> tuple[Leaf, ...]:
    """As many numbers of unions as do not overlap: the widest of which no access is of a part."""
    taken: set[int] = set()
    chosen: list[tuple[int, Leaf]] = []
    for place, leaf in sorted(enumerate(leaves), key=lambda pair: (-pair[1].type.size, pair[1].type.is_float, pair[0])):
        positions = list(every_position(leaf))
        covered_ = {at + n for at in positions for n in range(leaf.type.size)}
        if not is_cut(leaf, positions, accessed) and taken.isdisjoint(covered_):
            taken |= covered_
            chosen.append((place, leaf))
    return tuple(leaf for _, leaf in sorted(chosen, key=lambda pair: pair[0]))


def joined(layout: Layout, offset: Offset, size: int) -> Leaf | None:
    """The integers beside each other that an access of so many bytes covers, as one number; None if it covers none."""
    for first in layout.leaves:
        inside = [
            leaf for leaf in layout.leaves
            if leaf.extents == first.extents and first.offset <= leaf.offset < first.offset + size
        ]  # fmt: skip
        plain = not any(
            leaf.pointer or leaf.type.is_float or leaf.class_ or leaf.overlaps or leaf.bits for leaf in inside
        )
        whole = sum(leaf.type.size for leaf in inside) == size and first.offset % size == 0
        apart_ = all(distance % size == 0 for _, distance in first.extents)
        if not (plain and whole and apart_ and len(inside) > 1):
            continue
        in_order = sorted(inside, key=lambda leaf: leaf.offset)
        before = first.path.rpartition(".")[0]
        names = "|".join(leaf.path.removeprefix(f"{before}.") for leaf in in_order)
        bits = tuple(
            Bits(leaf.path, 8 * (leaf.offset - first.offset), leaf.type.bits, leaf.type.signed) for leaf in in_order
        )
        wide = Leaf(f"{before}.{names}", first.offset, unsigned(8 * size), extents=first.extents, bits=bits)
        if first is in_order[0] and _index_in(wide, offset) is not None:
            return wide
    return None


def with_joined(leaves: Sequence[Leaf], wide: Iterable[Leaf]) -> tuple[Leaf, ...]:
    """The numbers of a region, some of which are one: each stands where the first of its own stood."""
    by_path = {part.path: leaf for leaf in wide for part in leaf.bits}
    return tuple(dict.fromkeys(by_path.get(leaf.path, leaf) for leaf in leaves))


def part_of(layout: Layout, offset: Offset, size: int) -> tuple[Element, int] | None:
    """The number that so many bytes are a part of, and how many bits of it are below them; None if there is none."""
    for leaf in layout.leaves:
        for part in leaf.bits if not leaf.overlaps else ():
            own = replace(leaf, offset=leaf.offset + part.shift // 8)
            if part.width == 8 * size and (index := _index_in(own, offset)) is not None:
                return Element(leaf, index), part.shift
    return None


def _positions(
    at: int, extents: tuple[tuple[int, int], ...], least: int | None = None, most: int | None = None
) -> Iterable[int]:
    """Where the elements of a leaf begin, of those between two bytes, which may be the ends too."""
    if not extents:
        if (least is None or least <= at) and (most is None or at <= most):
            yield at
        return
    (count, distance), *inner = extents
    within = sum((n - 1) * far for n, far in inner)
    first = 0 if least is None or not distance else max(0, -(-(least - within - at) // distance))
    end = count if most is None or not distance else min(count, (most - at) // distance + 1)
    for number_ in range(first, end):
        yield from _positions(at + number_ * distance, tuple(inner), least, most)


def object_of(
    region: str, leaf: Leaf, storage: ir.Storage, span: Span, initial: Mapping[int, int | None], *, zero: bool
) -> ir.Object:
    """The program's object of a leaf; ``initial`` are values by offset, others are ``zero`` or unknown."""
    found = tuple(initial.get(at, 0 if zero else None) for at in _positions(leaf.offset, leaf.extents))
    return ir.Object(
        object_name(region, leaf), span, leaf.type, storage,
        tuple(None if v is None else leaf.type.wrap(v) for v in found),
        array=bool(leaf.extents), use=USES.get(leaf.class_, ir.Use.DATA),
        shape=shape(leaf) if len(leaf.extents) > 1 else (),
    )  # fmt: skip


#: What the objects of some classes are.
USES = {"barrier": ir.Use.BARRIER, "latch": ir.Use.LATCH, "counting_semaphore": ir.Use.SEMAPHORE}
