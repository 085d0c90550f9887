"""Closures and orders, whose clauses grow with the cube of the events.

Those of up to ``WRITTEN_OUT`` clauses are written at once.  Of a larger one a solver gets the clauses that its last
model broke, until a model breaks none: those that matter are few, where the program leaves little open.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from scopec.engines.embedded.memory.circuit import FALSE, TRUE, Circuit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    #: Tells which literals are true in a model.
    Holds: TypeAlias = Callable[[int], bool]

#: Literals by pair; what is absent is false.
Relation: TypeAlias = "dict[int, dict[int, int]]"

WRITTEN_OUT = 200_000


class InexactError(Exception):
    """A closure of which only too much was asked for is needed exactly; ``number`` counts closures as they are made."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def containing(circuit: Circuit, rows: Relation, number: int) -> Relation:
    """A set of free pairs that contains ``rows+``: enough where a pair is only ever forbidden.

    What needs more raises InexactError of ``number``.
    """
    certain = masks({i: sum(1 << j for j, v in row.items() if v == TRUE) for i, row in rows.items()})
    possible = masks({i: sum(1 << j for j in row) for i, row in rows.items()})
    closed: Relation = {
        i: {j: TRUE if certain[i] >> j & 1 else circuit.fresh() for j in bits(ends)} for i, ends in possible.items()
    }
    contain = _Contain(circuit, rows, closed)

    def inexact() -> None:
        raise InexactError(number)

    for i, row in closed.items():
        for j, pair in row.items():
            if pair != TRUE:
                circuit.when_used(-pair, partial(contain.ask, i, j))
                circuit.when_used(pair, inexact)
    return closed


class _Contain:
    """The clauses of a closure, from when a pair of it is first forbidden."""

    def __init__(self, circuit: Circuit, rows: Relation, closed: Relation) -> None:
        self.circuit = circuit
        self.rows = rows
        self.closed = closed
        #: Of which pairs it is not written yet that they are in the closure where they are.
        self.open: dict[int, list[int]] | None = None

    def ask(self, i: int, j: int) -> None:
        """A pair is forbidden."""
        if self.open is None:
            self.open = {}
            self._begin()
        self.open.setdefault(i, []).append(j)

    def _begin(self) -> None:
        self.rows = rows = _reduced(self.circuit, self.rows)
        for i, row in rows.items():
            for j, v in row.items():
                if self.closed[i][j] != TRUE:
                    self.circuit.contain(self.closed[i][j], v)
        ways = sum(len(rows[k]) for row in self.closed.values() for k in row if k in rows)
        if self.circuit.lazy and ways > WRITTEN_OUT:
            self.circuit.add_law(self._is_broken)
        else:
            for i in self.closed:
                self._write(i)

    def _write(self, i: int) -> None:
        """Add the clauses of ``i``: all that follows its successors follows it."""
        row, contain = self.closed[i], self.circuit.contain
        for k, v in row.items():
            for j, w in self.rows.get(k, {}).items():
                if row[j] not in (TRUE, v):
                    contain(row[j], v, w)

    def _is_broken(self, holds: Holds) -> bool:
        """Whether a model lacks pairs that were asked for; the clauses are added of all events where they begin."""
        assert self.open is not None
        followed = masks({i: sum(1 << j for j, v in row.items() if holds(v)) for i, row in self.rows.items()})
        lacking = [
            i
            for i, ends in self.open.items()
            if any(followed.get(i, 0) >> j & 1 and not holds(self.closed[i][j]) for j in ends)
        ]
        for i in lacking:
            del self.open[i]
            self._write(i)
        return bool(lacking)


def _reduced(circuit: Circuit, rows: Relation) -> Relation:
    """Enough pairs to have the same closure: without those that hold only where two others do, over an event between.

    Between is by the events' numbers, so those two are closer together, and nothing is left out for its own sake.
    """
    ends = {i: sum(1 << j for j in row) for i, row in rows.items()}
    starts: dict[int, int] = {}
    for i, row in rows.items():
        for j in row:
            starts[j] = starts.get(j, 0) | 1 << i

    def is_needed(i: int, j: int, v: int) -> bool:
        between = (ends[i] >> i + 1 << i + 1) & starts[j] & (1 << j) - 1 if i < j else 0
        return not any(circuit.implies(v, rows[i][k]) and circuit.implies(v, rows[k][j]) for k in bits(between))

    return {i: {j: v for j, v in row.items() if is_needed(i, j, v)} for i, row in rows.items()}


def exactly(circuit: Circuit, rows: Relation) -> Relation:
    """``rows+`` (Warshall, over literals)."""
    both, either = circuit.both, circuit.either
    closed = {i: dict(row) for i, row in rows.items()}
    for k in list(closed):
        through = list(closed[k].items())
        for row in closed.values():
            v = row.get(k, FALSE)
            if v == FALSE:
                continue
            for j, w in through:
                step = both(v, w)
                if step != FALSE:
                    row[j] = either(row[j], step) if j in row else step
    return closed


def transitive(circuit: Circuit, rows: Relation) -> None:
    """Ask that a relation is transitive and, where both directions of a pair are free, has one of them at most."""
    require = circuit.require
    for i, row in rows.items():
        for j, v in row.items():
            if i < j and i in rows.get(j, {}):
                require(-v, -rows[j][i])
    if circuit.lazy and sum(len(rows.get(j, ())) for row in rows.values() for j in row) > WRITTEN_OUT:
        for row in rows.values():
            for v in row.values():
                circuit.use(v)
                circuit.use(-v)
        circuit.add_law(partial(_is_not_transitive, circuit, rows))
        return
    for i, row in rows.items():
        for j, v in row.items():
            for k, w in rows.get(j, {}).items():
                if k != i:
                    require(-v, -w, row.get(k, FALSE))


def _is_not_transitive(circuit: Circuit, rows: Relation, holds: Holds) -> bool:
    """Whether a model relates two events over a third alone; the clauses of all that it does so are added."""
    steps = {i: sum(1 << j for j, v in row.items() if holds(v)) for i, row in rows.items()}
    found = False
    for i, mask in steps.items():
        for j in bits(mask):
            for k in bits(steps.get(j, 0) & ~mask & ~(1 << i)):
                found = True
                circuit.require(-rows[i][j], -rows[j][k], rows[i].get(k, FALSE))
    return found


def reach(edges: dict[int, set[int]]) -> dict[int, set[int]]:
    """The transitive closure of a graph."""
    closed = masks({i: sum(1 << j for j in ends) for i, ends in edges.items()})
    return {i: set(bits(mask)) for i, mask in closed.items()}


def masks(edges: dict[int, int]) -> dict[int, int]:
    """The same on bit masks (Warshall)."""
    closed = dict(edges)
    for k in edges:
        bit, through = 1 << k, closed[k]
        for i, mask in closed.items():
            if mask & bit:
                closed[i] = mask | through
    return closed


def bits(mask: int) -> Iterator[int]:
    """The places of the ones of a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
