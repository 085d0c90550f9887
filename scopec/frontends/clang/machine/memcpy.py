"""Copies and fills of so many bytes: private memory as it is, numbers of the program one by one."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.frontends.clang.evaluation_order.footprints import Touch
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import Offset, number
from scopec.frontends.clang.machine.access import load, misfit, store, type_of
from scopec.frontends.clang.machine.memory import (
    NULL,
    Address,
    Cell,
    Cells,
    Held,
    Layout,
    Memory,
    Private,
    covered,
    cuts,
    extent,
    overlapping,
    read,
)
from scopec.frontends.clang.machine.opaque import Opaque
from scopec.frontends.clang.machine.state import Again
from scopec.program import ir
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from scopec.frontends.clang.llvm.debug import Leaf
    from scopec.frontends.clang.machine.recording import Recording
    from scopec.frontends.clang.machine.state import State


#: Of asynchronous copies of more bytes the places should be known.
_MANY_BYTES = 1024


def copy_bytes(machine: Recording, state: State, to: Address, from_: Address, size: int, *more: Address) -> None:
    """Copy so many bytes: private memory as it is, numbers of the program one by one.

    What is read in the memory of the program is also written at ``more`` addresses.
    """
    if isinstance(from_.region, Private) and not from_.offset.terms:
        machine.touch(state, Touch(from_.region, from_.offset.constant, size, writes=False))
        moved = _cut_out(state.cells, from_.region, from_.offset.constant, size)
        _store_cells(machine, state, to, moved)
        given = {byte for at, cell in moved.items() for byte in range(at, at + cell.bytes)}
        _write_without_value(machine, state, to, given, size)
        return
    if not isinstance(from_.region, Memory):
        raise machine.refused(state, "a copy from a place that is known at run time alone is")
    layout = machine.world.layouts[from_.region]
    if layout.known is not None:
        if from_.offset.terms:
            machine.world.tables.add(from_.region)
            raise Again
        table = Private((), layout.name)
        cells = {(table, at): Cell(llvm.size(type_of(content)), content) for at, content in layout.known.items()}
        for there in (to, *more):
            _store_cells(machine, state, there, _cut_out(cells, table, from_.offset.constant, size))
        return
    check_whole(machine, state, layout, from_.offset, size)
    world = machine.world
    sides = [(layout, from_.offset.constant)]
    for there in (to, *more):
        if isinstance(there.region, Memory) and not there.offset.terms:
            sides.append((world.layouts[there.region], there.offset.constant))
    known = len(sides) == 2 + len(more) and not from_.offset.terms
    numbers = world.sparse.moved(size, machine.span(state), *sides)[0] if known else list(covered(*sides[0], size))
    _copy_numbers(machine, state, from_, [to, *more], numbers)


def _copy_numbers(
    machine: Recording, state: State, from_: Address, targets: Sequence[Address], numbers: Iterable[tuple[int, Leaf]]
) -> None:
    for at, leaf in numbers:
        type_ = leaf_type(leaf)
        content = load(machine, state, Address(from_.region, from_.offset.moved(Offset(at))), type_, ir.PLAIN)
        for there in targets:
            store(machine, state, Address(there.region, there.offset.moved(Offset(at))), content, type_, ir.PLAIN)


@dataclass(frozen=True, slots=True)
class Run:
    """So many bytes that a copy moves from an address to one or more."""

    size: int
    source: Address
    targets: tuple[Address, ...]

    @property
    def addresses(self) -> tuple[Address, ...]:
        """That of the source, and those of the targets."""
        return self.source, *self.targets


def copy_together(machine: Recording, state: State, runs: Sequence[Run]) -> None:
    """Make one copy of several runs.

    Of many elements that are alike, some stand for all (:mod:`scopec.frontends.clang.machine.sparse`).
    """
    layouts = _layouts(machine, runs)
    if not layouts:
        if sum(run.size for run in runs) > _MANY_BYTES:
            for _, value in (term for run in runs for address in run.addresses for term in address.offset.terms):
                machine.follow_further(value)
        for run in runs:
            copy_bytes(machine, state, run.targets[0], run.source, run.size, *run.targets[1:])
        return
    for layout, side in zip(layouts, zip(*(run.addresses for run in runs), strict=True), strict=True):
        for run, address in zip(runs, side, strict=True):
            check_whole(machine, state, layout, address.offset, run.size)
        begins = (address.offset.constant for address in side)
        want_few(machine, layout, [range(at, at + run.size) for at, run in zip(begins, runs, strict=True)])
    offsets = [(run.size, *(address.offset.constant for address in run.addresses)) for run in runs]
    for number_, begin, end in machine.world.sparse.together(offsets, layouts):
        from_, *targets = (Address(a.region, a.offset.moved(Offset(begin))) for a in runs[number_].addresses)
        numbers = list(covered(layouts[0], from_.offset.constant, end - begin))
        _copy_numbers(machine, state, from_, targets, numbers)


def _layouts(machine: Recording, runs: Sequence[Run]) -> list[Layout]:
    """The layouts of the source and of each target, where each is one object at constant places; else none."""
    found = []
    for side in zip(*(run.addresses for run in runs), strict=True):
        region = side[0].region
        if not isinstance(region, Memory) or any(one.region != region or one.offset.terms for one in side):
            return []
        found.append(machine.world.layouts[region])
    return [] if any(layout.known is not None for layout in found) else found


def want_few(machine: Recording, layout: Layout, bytes_: Sequence[range]) -> None:
    """Raise Again where one copy or matrix has these bytes of an object, and few of its elements are to be modelled."""
    world = machine.world
    if not world.is_mentioned(layout.name) and world.sparse.want(layout, bytes_):
        raise Again


def _cut_out(cells: Cells, region: Private, begin: int, size: int) -> dict[int, Cell]:
    """The content of so many bytes, by the distance from their begin: whole cells, and parts of those that they cut."""
    moved = {}
    for start in overlapping(cells, region, begin, size):
        cell = cells[region, start]
        first, last = max(start, begin), min(start + cell.bytes, begin + size)
        whole = last - first == cell.bytes
        moved[first - begin] = cell if whole else Cell(last - first, read(cells, region, first, last - first))
    return moved


def _store_cells(machine: Recording, state: State, to: Address, moved: Mapping[int, Cell]) -> None:
    for at, cell in sorted(_together(machine, to, moved).items()):
        place = Address(to.region, to.offset.moved(Offset(at)))
        store(machine, state, place, cell.content, _bytes(cell), ir.PLAIN)


def _together(machine: Recording, to: Address, moved: Mapping[int, Cell]) -> Mapping[int, Cell]:
    """The cells as they are written: those that are one number there are one."""
    if not isinstance(to.region, Memory) or to.region.name not in machine.world.joined:
        return moved
    end = max((at + cell.bytes for at, cell in moved.items()), default=0)
    cells, found = {(_MOVED, at): cell for at, cell in moved.items()}, dict(moved)
    for at, leaf in covered(machine.world.layouts[to.region], to.offset.constant, end):
        inside = [part for part in moved if at <= part < at + leaf.type.size]
        if leaf.bits and sum(moved[part].bytes for part in inside) == leaf.type.size:
            for part in inside:
                del found[part]
            found[at] = Cell(leaf.type.size, read(cells, _MOVED, at, leaf.type.size))
    return found


#: The bytes of a number at most.
_MOST_OF_NUMBER = 16
_MOVED = Private((), "%moved")


def _write_without_value(machine: Recording, state: State, to: Address, given: Container[int], size: int) -> None:
    """Write numbers of which no byte is ``given``: what is copied there has no value, and 0 stands for it."""
    if isinstance(to.region, Memory):
        layout, begin = machine.world.layouts[to.region], to.offset.constant
        if size and not to.offset.terms and not -size < begin < extent(layout):
            raise misfit(machine, state, layout, to.offset, size)
        for at, leaf in list(covered(layout, begin, size)):
            if not any(byte in given for byte in range(at, at + leaf.type.size)):
                place = Address(to.region, to.offset.moved(Offset(at)))
                content = NULL if leaf.pointer else number(0, 8 * leaf.type.size)
                store(machine, state, place, content, leaf_type(leaf), ir.PLAIN)


def check_whole(machine: Recording, state: State, layout: Layout, offset: Offset, size: int) -> None:
    """Raise InputError where so many bytes cut a number in two, or go beyond the object."""
    if not 0 <= offset.constant <= offset.constant + size <= extent(layout):
        raise machine.refused(state, f"{size} bytes that are not all in `{layout.name}` are")
    if cuts(layout, offset.constant, size):
        raise machine.refused(state, f"{size} bytes that are not whole numbers of `{layout.name}` are")


def fill_bytes(machine: Recording, state: State, to: Address, byte: Value, size: int) -> None:
    """Set so many bytes."""
    if not isinstance(byte, Const):
        raise machine.unknown(state, "filling memory with a value", byte)
    repeated = int.from_bytes(bytes([byte.value & 255]) * min(max(size, 1), _MOST_OF_NUMBER), "little")
    if isinstance(to.region, Private) and not to.offset.terms:
        for start, width in _words(to.offset.constant, size):
            word = number(repeated & ((1 << 8 * width) - 1), 8 * width)
            store(machine, state, Address(to.region, Offset(start)), word, llvm.Int(8 * width), ir.PLAIN)
        return
    if not isinstance(to.region, Memory):
        raise machine.refused(state, "filling memory that is not known is")
    check_whole(machine, state, machine.world.layouts[to.region], to.offset, size)
    side = machine.world.layouts[to.region], to.offset.constant
    (found,) = machine.world.sparse.moved(size, machine.span(state), side)
    for at, leaf in found:
        part = repeated & ((1 << leaf.type.bits) - 1)
        place = Address(to.region, to.offset.moved(Offset(at)))
        store(machine, state, place, number(part, 8 * leaf.type.size), leaf_type(leaf), ir.PLAIN)


def _bytes(cell: Cell) -> llvm.Type:
    match cell.content:
        case Opaque():
            return llvm.Float(cell.bytes)
        case Address() | Held():
            return llvm.Pointer()
        case _:
            return llvm.Int(8 * cell.bytes)


def leaf_type(leaf: Leaf) -> llvm.Type:
    """The type of a number in memory."""
    if leaf.pointer:
        return llvm.Pointer()
    return llvm.Float(leaf.type.size) if leaf.type.is_float else llvm.Int(8 * leaf.type.size)


def _words(at: int, size: int) -> Iterable[tuple[int, int]]:
    end = at + size
    while at < end:
        width = next(w for w in (8, 4, 2, 1) if at % w == 0 and at + w <= end)
        yield at, width
        at += width
