"""Values of registers, the memory of a thread, and what these are where ways meet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import TypeAlias

from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.frontends.clang.llvm import code as llvm
from scopec.program.anythread import (
    TRUE,
    ZERO,
    Level,
    Term,
    add,
    both,
    choose,
    const,
    is_truth,
    linear,
    symbol,
    total,
    truth,
)
from scopec.program.pointer_tables import is_behind


class NotFollowed(Exception):
    """Raised for code that the executor does not understand, so that nothing is known of the kernel."""

    def __init__(self, reason: str, span: Span | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


@dataclass(frozen=True)
class Pointers:
    """An address: under each condition an object and an offset in bytes.  None is an object that nobody knows."""

    ways: tuple[tuple[Term, str | None, Term], ...]


@dataclass(frozen=True)
class Parts:
    """A structure or an array in a register."""

    items: tuple[Value, ...]


Value: TypeAlias = Term | Pointers | Parts
NOWHERE = Pointers(((TRUE, None, ZERO),))

#: The name of the number at which an object begins, before the object's own; no object begins as far.
_BEGINS = "?&"
_FAR = 1 << 48
#: The number in a name.
_NUMBER = re.compile(r"\d+$")

#: The memory of a thread: the bytes and the value at offsets of local variables.
Cells: TypeAlias = dict[tuple[str, int], tuple[int, Value]]


def address(object_: str | None, offset: Term = ZERO) -> Pointers:
    """One address."""
    return Pointers(((TRUE, object_, offset),))


def as_number(value: Pointers) -> Term | None:
    """An address as a number: where its object begins, of which nothing is known, and its offset; None of an object
    that nobody knows, or of a variable of the thread, and of what addresses in an array lead to, which is many.
    """
    if not is_shared(value) or is_told_later(value) or any(is_behind(object_ or "") for _, object_, _ in value.ways):
        return None
    found = [(way, add(symbol(f"{_BEGINS}{object_}", "block", 0, _FAR), offset)) for way, object_, offset in value.ways]
    (_, whole), *others = reversed(found)
    for way, term in others:
        whole = choose(way, term, whole)
    return whole


def as_address(number: Term) -> Pointers:
    """A number as an address: that of an object if it is where that begins, and more."""
    factors, constant = linear(number)
    begins = [one for one in factors if one.op == "symbol" and one.name.startswith(_BEGINS)]
    if len(begins) != 1 or factors[begins[0]] != 1:
        return NOWHERE
    rest = {one: factor for one, factor in factors.items() if one is not begins[0]}
    return address(begins[0].name.removeprefix(_BEGINS), add(total(rest), const(constant)))


def is_shared(value: Value) -> bool:
    """Whether a value is an address in known objects that are no variables of the thread."""
    return isinstance(value, Pointers) and all(o is not None and not o.startswith("%") for _, o, _ in value.ways)


def is_told_later(value: Pointers) -> bool:
    """Whether it is not told yet whose address this is."""
    return any(object_ is not None and object_.startswith("?") for _, object_, _ in value.ways)


class Names:
    """Names for symbols of which nothing is known."""

    def __init__(self, prefix: str = "?", level: Level = "thread") -> None:
        self._numbers = count(1)
        self._prefix, self._level = prefix, level

    def mark(self) -> int:
        """A number above those in the names until now, and below those in all later ones."""
        return next(self._numbers)

    def any_of(self, type_: llvm.Type, level: Level | None = None) -> Value:
        """Any value of a type."""
        level = level or self._level
        match type_:
            case llvm.Int(1):
                return truth(f"{self._prefix}{next(self._numbers)}", level)
            case llvm.Int(bits):
                return symbol(f"{self._prefix}{next(self._numbers)}", level, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
            case llvm.Pointer():
                return NOWHERE
            case llvm.Array(number, element):
                return Parts(tuple(self.any_of(element, level) for _ in range(number)))
            case llvm.Struct(fields):
                return Parts(tuple(self.any_of(field, level) for field in fields))
            case llvm.Float() | llvm.Void():
                return symbol(f"{self._prefix}{next(self._numbers)}", level)

    def like(self, value: Value, level: Level | None = None) -> Value:
        """Any value of the kind of another."""
        level = level or self._level
        match value:
            case Pointers(ways):
                objects = {object_ for _, object_, _ in ways}
                one = objects.pop() if len(objects) == 1 else None
                return (
                    address(one, symbol(f"{self._prefix}{next(self._numbers)}", level)) if one is not None else NOWHERE
                )
            case Parts(items):
                return Parts(tuple(map(self.like, items)))
            case Term():
                made = truth if is_truth(value) else symbol
                return made(f"{self._prefix}{next(self._numbers)}", level)

    def pointer(self) -> Pointers:
        """An address of which it is not told yet whose it is."""
        return address(f"{self._prefix}pointer {next(self._numbers)}")

    def truth(self, level: Level | None) -> Term:
        """Any truth."""
        return truth(f"{self._prefix}{next(self._numbers)}", level or self._level)

    def turn(self, *, of_block: bool) -> Term:
        """The number of a turn of a loop: of a thread, or of all threads of a block."""
        number = next(self._numbers)
        return (
            symbol(f"turn {number}", "block", 0) if of_block else symbol(f"{self._prefix}turn{number}", self._level, 0)
        )

    def again(self, one: Term) -> Term:
        """Another symbol of a symbol's kind, of which nothing else is known."""
        name = f"{self._prefix}{next(self._numbers)}"
        return truth(name, one.level) if one.op == "truth" else symbol(name, one.level, one.low, one.high)


def is_since(one: Term, mark: int) -> bool:
    """Whether a symbol has got its name after a mark."""
    number = _NUMBER.search(one.name)
    is_made = one.name.startswith(("?", "turn ")) and not one.name.startswith(_BEGINS)
    return is_made and number is not None and int(number[0]) > mark


def joined(ways: Sequence[tuple[Term, Value]], names: Names) -> Value:
    """The value of which each is one under a condition."""
    values = [value for _, value in ways]
    first = values[0]
    if all(value == first if not isinstance(first, Term) else value is first for value in values):
        return first
    if all(isinstance(value, Term) for value in values):
        (_, last), *others = reversed(ways)
        assert isinstance(last, Term)
        for condition, value in others:
            assert isinstance(value, Term)
            last = choose(condition, value, last)
        return last
    if all(isinstance(value, Pointers) for value in values):
        found = [
            (both(condition, inner), object_, offset)
            for condition, value in ways
            if isinstance(value, Pointers)
            for inner, object_, offset in value.ways
        ]
        return Pointers(tuple(found)) if len(found) <= 8 else NOWHERE
    if all(isinstance(value, Parts) for value in values):
        rows = zip(*(value.items for value in values if isinstance(value, Parts)), strict=True)
        conditions = [condition for condition, _ in ways]
        return Parts(tuple(joined(list(zip(conditions, row, strict=True)), names) for row in rows))
    return NOWHERE  # a number by one way, an address by another: none that anything may be accessed by


def joined_cells(ways: Sequence[tuple[Term, Cells]], names: Names) -> Cells:
    """The memory where ways meet: what all of them have."""
    if len(ways) == 1:
        return dict(ways[0][1])
    found: Cells = {}
    for key, (size, _) in ways[0][1].items():
        if all(key in cells and cells[key][0] == size for _, cells in ways):
            found[key] = size, joined([(condition, cells[key][1]) for condition, cells in ways], names)
    return found
