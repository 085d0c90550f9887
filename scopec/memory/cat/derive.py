"""The steps by which a relation of a model relates two events of an execution: a way through given relations."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias, assert_never

from scopec.base.records import dataclass
from scopec.memory.cat import tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scopec.memory.cat.evaluate import Evaluation, Relation

#: Given relations that say what two events have in common: they narrow a way and are none.
ALIKE = frozenset({"loc", "vloc", "px", "int", "ext", "incl", "scta", "scluster", "sgpu", "id", "vec"})


@dataclass(frozen=True, slots=True)
class Step:
    """A step from one event to another, by position, and the relation that has it; of a defined one the steps in it.

    ``backwards``: the relation has the pair the other way round.
    """

    relation: str
    before: int
    after: int
    within: tuple[Step, ...] = ()
    backwards: bool = False


Way: TypeAlias = tuple[Step, ...]


class Derivation:
    """The ways that a model's relations are made of in one execution; ``kept`` are the defined names that are steps."""

    def __init__(self, evaluation: Evaluation, kept: Iterable[str]) -> None:
        self.evaluation = evaluation
        self.kept = frozenset(kept)
        self.defined = {d.name: d for d in evaluation.model.definitions}
        self._relations: dict[int, Relation] = {}
        self._ways: dict[tuple[int, int, int], Way | None] = {}

    def way(self, expr: tree.Expr, i: int, j: int) -> Way | None:
        """A way with few steps from one event to another by which a relation has the pair; None if it has it not."""
        key = (id(expr), i, j)
        if key not in self._ways:
            self._ways[key] = self._found(expr, i, j) if self._rows(expr)[i] >> j & 1 else None
        return self._ways[key]

    def _rows(self, expr: tree.Expr) -> Relation:
        if id(expr) not in self._relations:
            self._relations[id(expr)] = self.evaluation.relation(expr)
        return self._relations[id(expr)]

    def _found(self, expr: tree.Expr, i: int, j: int) -> Way | None:
        """The way of a pair that a relation has."""
        match expr:
            case tree.Name(_, name):
                return self._named(name, i, j)
            case tree.IdentityOn():
                return ()
            case tree.Universe() | tree.Complement() | tree.Binary(_, "*", _, _):
                return (Step("_", i, j),)
            case tree.Binary(_, "|", left, right):
                return _shortest([self.way(left, i, j), self.way(right, i, j)])
            case tree.Binary(_, "&", left, right):
                return max((w for w in (self.way(left, i, j), self.way(right, i, j)) if w is not None), key=_told)
            case tree.Binary(_, "\\", left, _):
                return self.way(left, i, j)
            case tree.Binary(_, _, left, right):
                return self._through(left, right, i, j)
            case tree.Postfix(_, op, operand):
                return self._repeated(op, operand, i, j)
            case tree.Zero() | tree.End() | tree.Application() | tree.LetIn() | tree.Try():
                raise AssertionError(f"relates nothing: {expr}")
            case _:
                assert_never(expr)

    def _named(self, name: str, i: int, j: int) -> Way | None:
        definition = self.defined.get(name)
        if definition is None:
            return (Step(name, i, j),)
        within = self.way(definition.expr, i, j)
        if name in self.kept and within is not None:
            return (Step(definition.called or name, i, j, within),)
        return within

    def _through(self, left: tree.Expr, right: tree.Expr, i: int, j: int) -> Way | None:
        row, columns = self._rows(left)[i], self._rows(right)
        middles = [k for k in range(self.evaluation.size) if row >> k & 1 and columns[k] >> j & 1]
        ways = [(self.way(left, i, k), self.way(right, k, j)) for k in middles]
        return _shortest([a + b for a, b in ways if a is not None and b is not None])

    def _repeated(self, op: str, operand: tree.Expr, i: int, j: int) -> Way | None:
        if op == "^-1":
            found = self.way(operand, j, i)
            return None if found is None else tuple(_turned(step) for step in reversed(found))
        if op in "*?" and i == j:
            return ()
        if op == "?":
            return self.way(operand, i, j)
        edges = [self.way(operand, a, b) for a, b in _fewest(self._rows(operand), i, j)]
        return tuple(step for edge in edges if edge is not None for step in edge)


def _turned(step: Step) -> Step:
    return Step(step.relation, step.after, step.before, step.within, not step.backwards)


def _told(way: Way) -> tuple[int, int]:
    """How much a way says: the steps that are more than what two events have in common, and reads-from among them."""
    steps = [s for s in way if s.relation not in ALIKE and s.relation != "_"]
    return len(steps), sum(s.relation == "rf" for s in steps)


def _shortest(ways: Sequence[Way | None]) -> Way | None:
    return min((w for w in ways if w is not None), key=len, default=None)


def _fewest(rows: Relation, i: int, j: int) -> list[tuple[int, int]]:
    """The pairs of a relation on a way with fewest of them."""
    came: dict[int, int] = {}
    open_ = [i]
    for at in open_:
        for following in range(len(rows)):
            if rows[at] >> following & 1 and following not in came:
                came[following] = at
                open_.append(following)
        if j in came:
            break
    way = [j]
    while len(way) == 1 or way[-1] != i:
        way.append(came[way[-1]])
    return [(b, a) for a, b in pairwise(way)][::-1]
