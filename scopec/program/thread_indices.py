"""Conditions and numbers over the indices of threads: which threads they are, and what each is to have."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import field
from functools import cached_property
from math import gcd, lcm
from operator import mul
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import ir, values
from scopec.program.specialise import thread_builtins
from scopec.program.types import INT, UINT, IntType
from scopec.program.values import Builtin, Const, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


#: A thread by its block and lane.
Position = tuple[int, int]


#: The places of threads that go on together: the node that each kind of them has reached.
Places = tuple[tuple[int, int], ...]


_INDICES = tuple(f"{name}.{axis}" for name in ("threadIdx", "blockIdx") for axis in "xyz")


#: The indices of a thread, 1, and the number that it is to have.
Row = tuple[int, ...]


#: The factors of equations, the constant first.
_COLUMNS = (len(_INDICES), *range(len(_INDICES)))


#: From how many kinds on they are told apart by halves.
_MANY = 8
#: In how many ranges threads may be that are told by these, where they are not by the remainder of their index.
_MOST_RANGES = 4


class Indices:
    """The thread indices that tell the kinds of threads apart."""

    def __init__(self, grid: ir.Grid, kinds: Sequence[Sequence[Position]]) -> None:
        self._grid, self._kinds = grid, kinds
        self._of = {
            position: tuple(thread_builtins(grid, *position)[name] for name in _INDICES)
            for members in kinds
            for position in members
        }
        self._sums: dict[tuple[tuple[tuple[int, int], ...], IntType], Sum | None] = {}

    def joined(self, given: Mapping[int, Value]) -> Value | None:
        """The value that threads of each kind have; None if there is none."""
        first = next(iter(given.values()))
        if all(value == first for value in given.values()):
            return first
        if isinstance(first, Const):
            numbers = tuple((kind, value.value) for kind, value in given.items() if isinstance(value, Const))
            if (numbers, first.type) not in self._sums:
                self._sums[numbers, first.type] = Sum(first.type).also(self.equations(dict(numbers)))
            found = self._sums[numbers, first.type]
            return None if found is None else found.value
        parts = zip(*(values.children(value) for value in given.values()), strict=True)
        joined = [self.joined(dict(zip(given, part, strict=True))) for part in parts]
        return None if any(part is None for part in joined) else values.rebuild(first, [p for p in joined if p])

    def equations(self, numbers: Mapping[int, int]) -> tuple[Row, ...]:
        """The equations of a sum that gives each thread of some kinds its number."""
        return tuple((*self._of[at], 1, number) for kind, number in numbers.items() for at in self._kinds[kind])

    def told_apart(self, parts: Sequence[Places]) -> tuple[Value, Sequence[Places], Sequence[Places]]:
        """A condition on the indices, the parts whose threads fulfil it, and the others."""
        threads = [{at for kind, _ in part for at in self._kinds[kind]} for part in parts]
        if len(parts) < _MANY:
            for axis, name in enumerate(_INDICES):
                there = [{self._of[at][axis] for at in its} for its in threads]
                for n, its in enumerate(there):
                    if len(its) == 1 and not any(its & other for other in there[:n] + there[n + 1 :]):
                        condition = values.binary("==", Builtin(name, UINT), Const(min(its), UINT))
                        return condition, [parts[n]], [*parts[:n], *parts[n + 1 :]]
        half = (len(parts) + 1) // 2
        return self._among(set().union(*threads[:half])), parts[:half], parts[half:]

    def _among(self, threads: set[Position]) -> Value:
        """Whether a thread is one of these."""
        size = self._grid.threads.count
        block, thread = _linear(self._grid.blocks, "blockIdx"), _linear(self._grid.threads, "threadIdx")
        place = values.binary("+", values.binary("*", block, Const(size, UINT)), thread)
        numbers = {block * size + thread for block, thread in threads}
        ranges = _ranges(numbers)
        if len(ranges) > _MOST_RANGES and (period := _period(numbers, size, self._grid.blocks.count)):
            place = values.binary("%", thread, Const(period, UINT))
            ranges = _ranges({n for n in numbers if n < period})
        result: Value = values.FALSE
        for start, end in ranges:
            within = values.binary("<", place, Const(end, UINT))
            if start:
                within = values.binary("&&", values.binary(">=", place, Const(start, UINT)), within)
            result = values.binary("||", result, within)
        return result


def _ranges(numbers: Set[int]) -> list[tuple[int, int]]:
    """The first of each range of numbers, and the one after its last."""
    starts, ends = ({n for n in numbers if n - 1 not in numbers}, {n + 1 for n in numbers if n + 1 not in numbers})
    return list(zip(sorted(starts), sorted(ends), strict=True))


def _period(numbers: Set[int], size: int, count: int) -> int | None:
    """After how many threads these are the same again, in all ``count`` blocks of ``size``."""
    for period in (n for n in range(2, size + 1) if size % n == 0):
        first = {n for n in numbers if n < period}
        if {n + at for n in first for at in range(0, size * count, period)} == numbers:
            return period
    return None


def _multiple(factor: int, name: str | None, type_: IntType) -> Value:
    if name is None:
        return Const(factor, type_)
    index = Builtin(name, type_)
    return index if factor == 1 else values.cast(values.binary("*", index, Const(factor, type_)), type_)


def _linear(extent: ir.Dim, name: str) -> Value:
    """The linear index of a thread or block, x fastest."""
    result: Value = Const(0, UINT)
    for axis, factor in (("x", 1), ("y", extent.x), ("z", extent.x * extent.y)):
        if getattr(extent, axis) > 1:
            one = _multiple(factor, f"{name}.{axis}", UINT)
            result = one if result == Const(0, UINT) else values.binary("+", result, one)
    return result


@dataclass(frozen=True)
class Sum:
    """The sum of multiples of the indices that fulfils ``equations``, with 0 for the factors that these leave open."""

    type: IntType
    equations: tuple[Row, ...] = ()
    solved: Mapping[int, Row] = field(default_factory=dict)

    def also(self, equations: tuple[Row, ...]) -> Sum | None:
        """The sum that fulfils more equations too; None if there is none that is whole and is computed as it is."""
        solved, every = self.solved, self.equations + equations
        # What was solved before is solved, so the first that is not is one of the others.
        unsolved = next((e for e in equations if sum(map(mul, self._factors, e))), None)
        if unsolved is not None:
            found = _solved(every, solved, unsolved)
            if found is None:
                return None
            solved, equations = found, every
        sum_ = Sum(self.type, every, solved)
        return sum_ if sum_._factors[-1] == -1 and all(sum_._gives(e) for e in equations) else None

    @cached_property
    def _factors(self) -> Row:
        return _factors(self.solved)

    @cached_property
    def value(self) -> Value:
        """The sum as a value of its type."""
        computed = INT if self.type.is_bool else self.type
        *factors, constant, _ = self._factors
        terms = [
            (factor, _multiple(abs(factor), name, computed))
            for factor, name in zip((*reversed(factors), constant), (*reversed(_INDICES), None), strict=True)
            if factor
        ]
        result: Value | None = None
        for factor, term in sorted(terms, key=lambda term: term[0] < 0):
            start = result or Const(0, computed)
            result = term if factor > 0 and not result else values.binary("+" if factor > 0 else "-", start, term)
        return values.cast(result or Const(0, computed), self.type)

    def _gives(self, equation: Row) -> bool:
        """Whether it is computed as its type says."""
        *indices, _, number = equation
        known = dict(zip(_INDICES, indices, strict=True))
        computed = values.substitute(
            self.value, lambda one: Const(known[one.name], one.type) if isinstance(one, Builtin) else one
        )
        return computed == Const(number, self.type)


def _factors(solved: Mapping[int, Row]) -> Row:
    """The factors by which equations are solved, then -1 for the number; the least multiple of these that is whole."""
    common = lcm(*(row[column] // gcd(row[column], row[-1]) for column, row in solved.items()))
    return (*(solved[c][-1] * common // solved[c][c] if c in solved else 0 for c in range(len(_COLUMNS))), -common)


def _solved(equations: Sequence[Row], solved: Mapping[int, Row], row: Row | None) -> Mapping[int, Row] | None:
    """The equations as rows of which each has a column for itself, of which some are there; None if nothing solves all.

    ``row`` is the first that these do not solve.  One that is solved already adds nothing.
    """
    while row is not None:
        for column, its in solved.items():
            row = _without(row, column, its)
        first = next((column for column in _COLUMNS if row[column]), None)
        if first is None:
            return None
        row = _least(row, first)
        solved = {column: _least(_without(its, first, row), column) for column, its in solved.items()} | {first: row}
        factors = _factors(solved)
        row = next((e for e in equations if sum(map(mul, factors, e))), None)
    return solved


def _without(row: Row, column: int, other: Row) -> Row:
    """A multiple of a row, less one of another, so that there is nothing in a column."""
    factor, whole = row[column], other[column]
    return tuple(a * whole - factor * b for a, b in zip(row, other, strict=True)) if factor else row


def _least(row: Row, column: int) -> Row:
    """The least multiple of a row that is whole, with a positive number in a column."""
    divisor = gcd(*row) if row[column] > 0 else -gcd(*row)
    return tuple(n // divisor for n in row)
