"""A call that is being executed, and what the executor writes down."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from scopec.base.source import Source, Span
from scopec.frontends.clang.anythread.limits import limits
from scopec.frontends.clang.anythread.numbers import READS
from scopec.frontends.clang.anythread.values import Cells, Names, NotFollowed, Pointers, Value
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.debug import Debug
from scopec.frontends.clang.llvm.reader import Module
from scopec.program.anythread import (
    FALSE,
    Access,
    Barrier,
    Kind,
    Loop,
    Reading,
    Term,
    Ticket,
    Uniform,
    both,
    is_natural,
    is_truth,
    symbols,
)

#: One name for all spellings of a file's.
_normal = cache(os.path.normpath)


@dataclass
class Record:
    """What the thread does, in its order; what is tried is dropped again."""

    module: Module
    debug: Debug
    source: Source
    constant: frozenset[str]
    names: Names = field(default_factory=Names)
    accesses: list[Access] = field(default_factory=list)
    barriers: list[Barrier] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    again: list[tuple[Term, Term]] = field(default_factory=list)
    left: list[tuple[Term, Term]] = field(default_factory=list)
    uniform: list[Uniform] = field(default_factory=list)
    tickets: list[Ticket] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    checked: list[tuple[Term, Span]] = field(default_factory=list)
    grids: list[Barrier] = field(default_factory=list)
    warps: list[Barrier] = field(default_factory=list)
    assumed: list[Term] = field(default_factory=list)
    read_only: set[Span] = field(default_factory=set)
    left_out: dict[str, None] = field(default_factory=dict)
    #: Of which type local variables are.
    types: dict[str, llvm.Type] = field(default_factory=dict)
    #: Of which symbols of a thread others are made, in ways that are not followed.
    made: dict[str, frozenset[str]] = field(default_factory=dict)
    dimensions: set[str] = field(default_factory=set)
    position: int = 0
    ended: int = 0
    unrolling: bool = False
    unrolled: int = 0
    turns: tuple[Term, ...] = ()
    place: Span = dataclasses.field(default_factory=lambda: Span("", 0, 0, 0, 0))
    #: The bytes, from one offset to another, that the kernel writes of objects, of those of which it writes no others.
    written: Mapping[str, frozenset[tuple[int, int]]] = field(default_factory=dict)
    #: The arrays of which addresses are read at an index.
    tables: set[str] = field(default_factory=set)
    #: Whether it is not known yet what the kernel writes: each address that is read may be followed then.
    is_first: bool = False

    def is_constant(self, object_: str, at: Term | None = None, size: int = 0) -> bool:
        """Whether the kernel never writes an object, or so many bytes at one of its offsets, as far as is known."""
        return self.is_first or self.is_never_written(object_, at, size)

    def is_never_written(self, object_: str, at: Term | None = None, size: int = 0) -> bool:
        """The same, once it is known what the kernel writes."""
        if object_ in self.constant:
            return True
        if object_ not in self.written or at is None or at.op != "const":
            return False
        return all(at.value + size <= low or high <= at.value for low, high in self.written[object_])

    def _written(self) -> tuple[list[Any], ...]:
        found = self.accesses, self.barriers, self.assumed, self.loops, self.uniform, self.tickets
        return *found, self.again, self.left, self.readings, self.checked, self.grids, self.warps

    def mark(self) -> tuple[int, ...]:
        """How much is written down."""
        return tuple(map(len, self._written()))

    def back_to(self, mark: tuple[int, ...]) -> None:
        """Drop what was written down since."""
        for found, length in zip(self._written(), mark, strict=True):
            del found[length:]

    def at(self, place: str | None) -> None:
        """Take the place of an instruction for that of what follows, if it is one of the kernel's file."""
        if place is not None:
            found = self.debug.place(place)
            if found.line and _normal(found.file) == _normal(self.source.name):
                start = self.source.offset(found.line, max(found.column, 1))
                self.place = self.source.span(start, start + 1)

    def access(self, at: Value, size: int, kind: Kind, condition: Term, scope: int = 0) -> list[Access]:
        """Write down an access, by each way that its address may be; what is written down."""
        if not isinstance(at, Pointers):
            raise self.refused("a number is used as an address")
        before = len(self.accesses)
        for way, object_, offset in at.ways:
            reached = both(condition, way)
            if reached is FALSE or (object_ is not None and object_.startswith("%")):
                continue
            if object_ is None:
                raise self.refused("the address is read from memory, or computed from a number")
            self.position += 1
            self.accesses.append(
                Access(object_, offset, size, kind, reached, self.position, self.place, scope, self.turns)
            )
        return self.accesses[before:]

    def assume(self, term: Term) -> None:
        """Write down what a trap of clang's would stop else."""
        self.assumed.append(term)
        self.checked.append((term, self.place))

    def reading(self, term: Term, bits: int, condition: Term, *, signed: bool) -> None:
        """Write down that a number counts which may pass the limits of its register."""
        least, most = -(1 << (bits - 1)), (1 << (bits - 1 if signed else bits)) - 1
        if bits == 1 or is_truth(term):
            return
        low, high = limits(term)
        if high is None or high > most:
            self.readings.append(Reading(term, condition, most, self.place))
        if term.op in ("symbol", "read") and low is not None and low < least:  # of a wider register
            self.readings.append(Reading(term, condition, least, self.place, below=True))

    def operands(self, opcode: str, of: Iterable[Term], bits: int, condition: Term) -> None:
        """Write down that an instruction takes its operands for numbers, if it does."""
        for term in of if opcode in READS else ():
            self.reading(term, bits, condition, signed=READS[opcode])

    def product(self, term: Term, bits: int, condition: Term) -> None:
        """Write down that an unsigned product is not below what a register holds."""
        low, _ = limits(term)
        if not (is_truth(term) or is_natural(term)) and (low is None or low < -(1 << (bits - 1))):
            self.readings.append(Reading(term, condition, -(1 << (bits - 1)), self.place, below=True))

    def barrier(self, condition: Term, *, of_grid: bool = False) -> None:
        """Write down a barrier of the block, or of the grid, which is one of each block too."""
        self.position += 1
        self.barriers.append(Barrier(condition, self.position, self.place, self.turns))
        if of_grid:
            self.grids.append(self.barriers[-1])

    def of_warps(self, condition: Term) -> None:
        """Write down a barrier of all lanes of each warp."""
        self.position += 1
        self.warps.append(Barrier(condition, self.position, self.place))

    def forget_warps(self, mark: tuple[int, ...]) -> None:
        """Take it that any lanes come to the barriers of warps since, which are in turns of a loop."""
        since = slice(mark[-1], None)
        self.warps[since] = [
            dataclasses.replace(one, condition=self.names.truth("thread")) for one in self.warps[since]
        ]

    def of_block(self, value: Value, *, is_read: bool = False) -> Value:
        """A new value, as the same for all threads of a block that are in these turns of loops."""
        if isinstance(value, Term):
            self.uniform.append(Uniform(value, self.turns, is_read))
        return value

    def made_of(self, type_: llvm.Type, of: Sequence[Value]) -> Value:
        """Any value that an instruction makes of values: the same for all threads of a block if these are."""
        numbers = [value for value in of if isinstance(value, Term)]
        if not isinstance(type_, llvm.Int | llvm.Float) or len(numbers) < len(of):
            return self.names.any_of(type_)
        own = [one.name for one in symbols(*numbers).values() if one.level == "thread"]
        if not own:
            return self.of_block(self.names.any_of(type_, "block"))
        found = self.names.any_of(type_)
        assert isinstance(found, Term)
        self.made[found.name] = frozenset[str]().union(*(self.made.get(name, {name}) for name in own))
        return found

    def refused(self, reason: str) -> NotFollowed:
        """What is not followed, here."""
        return NotFollowed(reason, self.place)


@dataclass
class Frame:
    """A call: its registers, and a name of its own for local variables."""

    function: llvm.Function
    path: str
    env: dict[str, Value]


@dataclass(frozen=True)
class Way:
    """A way to a block: from where, under what condition, with what memory."""

    source: str
    condition: Term
    cells: Cells


@dataclass(frozen=True)
class Shape:
    """A function's blocks, in an order along all edges but those back to the heads of loops, and their blocks."""

    entry: str
    order: tuple[str, ...]
    loops: dict[str, frozenset[str]]


class Executes(Protocol):
    """Who executes code."""

    record: Record

    def call(
        self, function: llvm.Function, arguments: Iterable[Value], path: str, condition: Term, cells: Cells
    ) -> tuple[Value | None, Term, Cells]:
        """What a function returns, whether it does, and the memory then."""

    def region(
        self, frame: Frame, shape: Shape, inside: frozenset[str], incoming: dict[str, list[Way]],
        returned: list[tuple[Value | None, Way]], head: str | None,
    ) -> dict[str, list[Way]]:  # fmt: skip
        """Execute the blocks of a region; the ways that leave it, or go back to its head."""

    def operand(self, frame: Frame, typed: llvm.Typed) -> Value:
        """The value of an operand."""
