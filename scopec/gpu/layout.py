"""The places of a test's locations in the memory of an instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from scopec.base.records import dataclass
from scopec.program import ir
from scopec.program.observe import Location

#: Bytes of a word of the harness, and what a bulk copy wants of addresses: "aligned to 16 bytes" (PTX ISA,
#: "cp.async.bulk").
WORD, ALIGNED = 8, 16


@dataclass(frozen=True)
class Memory:
    """The places of an instance's locations: those in global memory, and those of each block in shared memory.

    A place is a number of words of 64 bits, each location in a word of its own, those in shared memory of all blocks
    one after the other.  With ``packed`` it is one of bytes: elements are beside each other as in the program, so that
    copies find them, and those in shared memory are where they are in each block of a cluster.  ``ranks`` are the
    positions of blocks in their clusters; ``mapped`` is what host threads use, too.
    """

    anywhere: Mapping[Location, int]
    shared: Mapping[Location, int]
    ranks: Mapping[str, int]
    mapped: frozenset[Location] = frozenset()
    packed: bool = False
    sizes: tuple[int, int] = (0, 0)

    def address(self, location: Location, block: str, index: str, size: int) -> tuple[str, str]:
        """The state space of an element as a block sees it, and its address in C++; ``index`` adds to its number."""
        if location not in self.shared:
            number = self._number(self.anywhere[location], index, size)
            if self.packed:
                return "global", f"(u64(p.at(0)) + {number})"
            return "global", f"p.{'mapped' if location in self.mapped else 'at'}({number})"
        number = self._number(self.shared[location], index, size)
        own = f"(p.own(0) + {number})" if self.packed else f"p.own({number})"
        if home(location) == block:
            return "shared", own
        return "shared::cluster", f"p.of_block({own}, {self.ranks[home(location)]})"

    def _number(self, first: int, index: str, size: int) -> str:
        if not index:
            return str(first)
        return f"{first} + {index} * {size}" if self.packed else f"{first} + {index}"

    @cached_property
    def words(self) -> tuple[int, int]:
        """The number of words of an instance in global memory, and of each block in shared memory."""
        if self.packed:
            return self.sizes[0] // WORD, self.sizes[1] // WORD
        return len(self.anywhere), len(self.shared)

    def word(self, location: Location, blocks: Mapping[str, int]) -> tuple[int, int]:
        """The word of an instance's state in which a location is, and its first bit there; ``blocks`` are numbered."""
        anywhere, of_block = self.words
        if location in self.anywhere:
            number, before = self.anywhere[location], 0
        else:
            number, before = self.shared[location], anywhere
            if self.packed:
                before += blocks[home(location)] * of_block
        if not self.packed:
            return before + number, 0
        return before + number // WORD, number % WORD * 8


def packed(
    anywhere: Mapping[Location, ir.Object], shared: Mapping[Location, ir.Object], ranks: Mapping[str, int]
) -> Memory:
    """The memory of a program with copies: elements of an object one after the other."""
    in_block = {(_own_name(at), at.index): object_ for at, object_ in shared.items()}
    places, block = _offsets((name, index, object_) for (name, index), object_ in in_block.items())
    global_places, size = _offsets((f"{at.instance} {at.object}", at.index, o) for at, o in anywhere.items())
    return Memory(
        {at: global_places[f"{at.instance} {at.object}", at.index] for at in anywhere},
        {at: places[_own_name(at), at.index] for at in shared},
        ranks,
        packed=True,
        sizes=(size, block),
    )


def _offsets(elements: Iterable[tuple[str, int, ir.Object]]) -> tuple[dict[tuple[str, int], int], int]:
    """Bytes before each element, of which those of an object are beside each other, and of all."""
    starts: dict[str, int] = {}
    found, end = {}, 0
    for name, index, object_ in elements:
        if name not in starts:
            starts[name] = end
            end += -(-object_.size * len(object_.values) // ALIGNED) * ALIGNED
        found[name, index] = starts[name] + index * object_.size
    return found, end


def home(shared: Location) -> str:
    """The block that a location in shared memory is of: its instance, or the one in its name (``k[1].tile``)."""
    return shared.instance or shared.object.partition("].")[0] + "]"


def _own_name(shared: Location) -> str:
    """The name of a shared variable, the same in each block."""
    return shared.object.removeprefix(f"{home(shared)}.") if not shared.instance else shared.object
