"""Values after a loop: a register that turns change has the value with which some turn was left, the last one.

The number of that turn is a symbol of its own, of which is known that the thread left the loop in that turn, and went
round once more in the turn before.
"""

from __future__ import annotations

from collections.abc import Sequence

from scopec.frontends.clang.anythread import turns
from scopec.frontends.clang.anythread.frame import Record, Way
from scopec.frontends.clang.anythread.turns import Key
from scopec.frontends.clang.anythread.values import Cells, Pointers, Value, is_shared, is_since, joined
from scopec.program.anythread import (
    FALSE,
    TRUE,
    ZERO,
    Level,
    Term,
    add,
    both,
    const,
    either,
    equal,
    opposite,
    substituted,
    symbols,
)


class Last:
    """The last turn of a loop, which a thread begins under ``condition``, goes round in once more if ``again``, and
    leaves by some ``ways``; ``named`` is the mark of the names that were there before.
    """

    def __init__(
        self, record: Record, turn: Term, named: int, condition: Term, again: Term, ways: Sequence[Way],
        *, barred: bool,
    ) -> None:  # fmt: skip
        self.turn, self.barred, self.named = turn, barred, named
        self._record, self._named, self._condition, self._again, self._ways = record, named, condition, again, ways
        self._by: dict[Term, Term] = {}

    def _write(self) -> None:
        """Write down the number of the last turn, and what holds then."""
        record = self._record
        found = record.names.again(self.turn)
        if self.barred:
            record.of_block(found)
        self._by[self.turn] = found
        leaves = FALSE
        for way in self._ways:
            leaves = either(leaves, self._then(way.condition))
        before = substituted(self._again, {self.turn: add(found, const(-1))})
        if any(is_since(one, self._named) and one is not found for one in symbols(before).values()):
            before = TRUE
        holds = both(leaves, either(equal(found, ZERO), before))
        record.left.append((found, either(opposite(self._condition), holds)))

    def _of_last(self, term: Term) -> Term:
        if self.turn not in self._by:
            self._write()
        return self._then(term)

    def _then(self, term: Term) -> Term:
        """A term of a turn as one of the last turn: what a block has one of is another there, and so is the last turn
        of a loop in this one, which is known in terms of the turn.
        """
        known = dict(self._record.left)
        for one in symbols(term).values():
            if one in self._by or not is_since(one, self._named):
                continue
            if one in known or (self.barred and one.level == "block"):
                self._by[one] = self._record.names.again(one)
            if one.level == "block" and one in self._by:
                self._record.of_block(self._by[one])
            if one in known:
                self._record.left.append((self._by[one], self._then(known[one])))
        return substituted(term, self._by)

    def value(self, value: Value) -> Value | None:
        """A number of a turn, or an address in known objects, as it is in the last turn; None of anything else."""
        match value:
            case Term() if self.turn.name in symbols(value):
                return self._of_last(value)
            case Pointers(ways) if is_shared(value):
                terms = [term for way, _, offset in ways for term in (way, offset)]
                if self.turn.name in symbols(*terms):
                    last = self._of_last
                    return Pointers(tuple((last(way), one, last(offset)) for way, one, offset in ways))
        return None


def after(record: Record, cells: Cells, changed: set[Key], left: list[Way], last: Last) -> Cells:
    """The memory after a loop, by the ways that leave it in some turn: of what turns change the last values, if the
    number of the turn tells them, or nothing of the loop is in them, else any.  A variable that has no value at the
    beginning of a turn has the one that each way out of the last turn gives it.
    """
    found: Cells = {}
    for key in dict.fromkeys((*cells, *(key for way in left[:1] for key in way.cells))):
        values = [(way.condition, way.cells[key]) for way in left if key in way.cells]
        size = values[0][1][0] if values else 0
        if not values or len(values) < len(left) or any(bytes_ != size for _, (bytes_, _) in values):
            continue
        value = cells[key][1] if key in cells and cells[key][0] == size else None
        if key not in changed and value is not None and all(_same(value, one) for _, (_, one) in values):
            found[key] = size, value
            continue
        whole = joined([(condition, one) for condition, (_, one) in values], record.names)
        known = last.value(whole)
        if isinstance(whole, Term) and not any(is_since(one, last.named) for one in symbols(whole).values()):
            found[key] = size, whole
        elif known is not None:
            found[key] = size, known
        elif last.barred and isinstance(whole, Term) and turns.is_uniform(whole):
            found[key] = size, record.of_block(record.names.like(whole, "block"))
        elif is_shared(whole):
            found[key] = size, _one_of(record, whole, barred=last.barred)
        else:
            found[key] = size, record.names.like(whole)
    return found


def _same(one: Value, other: Value) -> bool:
    return one is other if isinstance(one, Term) else one == other


def _one_of(record: Record, whole: Value, *, barred: bool) -> Value:
    """Any of some addresses; the same for a block where all of its threads have come to know it in one turn."""
    assert isinstance(whole, Pointers)
    same = barred and all(turns.is_uniform(way) and turns.is_uniform(offset) for way, _, offset in whole.ways)
    level: Level | None = "block" if same else None
    found, rest = list[tuple[Term, str | None, Term]](), TRUE
    places = dict.fromkeys((object_, offset if offset.op == "const" else None) for _, object_, offset in whole.ways)
    for number, (object_, offset) in enumerate(places):
        here = record.names.truth(level) if number < len(places) - 1 else TRUE
        moved = record.names.like(ZERO, level) if offset is None else offset
        assert isinstance(moved, Term)
        for value in (here, moved) if same else ():
            if value.op in ("symbol", "truth"):
                record.of_block(value)
        found.append((both(rest, here), object_, moved))
        rest = both(rest, opposite(here))
    return Pointers(tuple(found))
