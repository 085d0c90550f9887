"""Tensor memory of the blocks of a grid: what is allocated, where its address is, and which parts accesses have.

An address has the lane in bits 31-16 and the column in bits 15-0 (PTX ISA, "Tensor Memory Addressing").  Two accesses
that have a column and lanes in common have a part in common; what all accesses have whole or not at all is one part,
an object of the program.  All that is found is kept from one run of the threads to the next, which begins with it.
"""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from scopec.frontends.clang.llvm.numbers import Offset

#: The columns of tensor memory, and the lanes of which an access has all or none, so many of 128.
COLUMNS, LANES, EVERY_LANE = 512, 16, 0xFF


@dataclass(frozen=True, slots=True)
class Area:
    """Columns from ``begin`` on, before ``end``, and lanes as a mask of groups of 16."""

    begin: int
    end: int
    lanes: int = EVERY_LANE


@dataclass(frozen=True, slots=True)
class Allocation:
    """Columns of a block that a call has allocated."""

    begin: int
    end: int

    def has(self, area: Area) -> bool:
        """Whether an area is in it."""
        return self.begin <= area.begin < area.end <= self.end


@dataclass
class TensorMemory:
    """Allocations by grids and calls; the numbers in memory that are their addresses, None where something else may be
    there too; the areas that are accessed, by grids; where an allocation is freed.

    ``news`` counts what has been found, ``known`` says that the last run before in which all threads were has found
    nothing.
    """

    allocations: dict[str, dict[Hashable, Allocation]] = field(default_factory=dict)
    addresses: dict[tuple[str, int], int | None] = field(default_factory=dict)
    areas: dict[str, set[Area]] = field(default_factory=dict)
    freed: set[tuple[str, Allocation]] = field(default_factory=set)
    news: int = 0
    known: bool = False
    _before: int = 0

    def begin(self) -> None:
        """Begin another run of the threads."""
        self._before = self.news

    def end(self) -> bool:
        """End a run in which all threads were; whether another one is needed, for what it has found."""
        before, self.known = self.known, self._before == self.news
        return not self.known or (not before and bool(self.allocations))

    def allocate(self, grid: str, call: Hashable, columns: int) -> Allocation | None:
        """The columns that a call allocates; None where there are not so many.

        They begin at a multiple of their number, and not at column 0 where others are left: who does not ask for the
        address has no reason to know it.
        """
        found = self.allocations.setdefault(grid, {})
        if call not in found:
            taken = found.values()
            places = range(COLUMNS - columns, -1, -columns)
            begin = next((at for at in places if all(at >= a.end or at + columns <= a.begin for a in taken)), None)
            if begin is None:
                return None
            found[call] = Allocation(begin, begin + columns)
            self.news += 1
        return found[call]

    def allocated(self, grid: str, area: Area) -> Allocation | None:
        """The allocation that an area is in."""
        return next((a for a in self.allocations.get(grid, {}).values() if a.has(area)), None)

    def address(self, region: str, offset: Offset) -> int | None:
        """The address that is in memory, if one is."""
        return None if offset.terms or not self._is_in(region) else self.addresses.get((region, offset.constant))

    def _is_in(self, region: str) -> bool:
        """Whether there are addresses in a region: else no offset is asked for, in which threads of a class differ."""
        return any(name == region for name, _ in self.addresses)

    def keep(self, region: str, offset: int, address: int | None) -> None:
        """Note what number is in memory: an address, or also something else."""
        if address is None and not self._is_in(region):
            return
        key = region, offset
        if address is None and key not in self.addresses:
            return
        new = address if self.addresses.get(key, address) == address else None
        if key not in self.addresses or self.addresses[key] != new:
            self.addresses[key] = new
            self.news += 1

    def free(self, grid: str, allocation: Allocation) -> None:
        """Note that a call frees an allocation."""
        if (grid, allocation) not in self.freed:
            self.freed.add((grid, allocation))
            self.news += 1

    def leave(self, grid: str) -> None:
        """Take it that all is freed: a thread does something undefined, and what it would do then is not known."""
        for allocation in self.allocations.get(grid, {}).values():
            self.free(grid, allocation)

    def access(self, grid: str, area: Area) -> bool:
        """Whether it is known that an area is accessed; it is from now on."""
        found = self.areas.setdefault(grid, set())
        if area in found:
            return True
        found.add(area)
        self.news += 1
        return False

    def parts(self, grid: str, area: Area) -> Iterator[Area]:
        """The parts of an area, as accesses have them."""
        areas = self.areas.get(grid, set())
        cuts = sorted({at for one in areas for at in (one.begin, one.end) if area.begin <= at <= area.end})
        for begin, end in pairwise(cuts):
            there = sorted({one.lanes for one in areas if one.begin <= begin and end <= one.end})
            rest = {lane: tuple(lanes >> lane & 1 for lanes in there) for lane in range(EVERY_LANE.bit_length())}
            for alike in dict.fromkeys(rest[lane] for lane in rest if area.lanes >> lane & 1):
                yield Area(begin, end, sum(1 << lane for lane in rest if rest[lane] == alike))


def part_name(grid: str, part: Area) -> str:
    """The name of a part: its columns, and its lanes where it has not all of them."""
    columns = f"{grid}.tensor_columns_{part.begin}_{part.end - 1}"
    if part.lanes == EVERY_LANE:
        return columns
    lanes = [lane for lane in range(EVERY_LANE.bit_length()) if part.lanes >> lane & 1]
    whole = lanes == list(range(lanes[0], lanes[-1] + 1))
    shown = f"{LANES * lanes[0]}_{LANES * lanes[-1] + LANES - 1}" if whole else "_".join(str(LANES * n) for n in lanes)
    return f"{columns}_lanes_{shown}"
