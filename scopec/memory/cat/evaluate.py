"""The meaning of a model on one execution: sets are bit masks over its events, relations a mask a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias, assert_never

from scopec.memory.cat import tree

if TYPE_CHECKING:
    from scopec.memory.cat.model import Axiom, Model

Set: TypeAlias = int
Relation: TypeAlias = tuple[int, ...]


def pairs(relation: Relation) -> Iterator[tuple[int, int]]:
    """The pairs of a relation, in order."""
    for i, row in enumerate(relation):
        while row:
            low = row & -row
            yield i, low.bit_length() - 1
            row ^= low


def relation(size: int, given: Iterable[tuple[int, int]]) -> Relation:
    """The relation over ``size`` events that has the given pairs."""
    rows = [0] * size
    for i, j in given:
        rows[i] |= 1 << j
    return tuple(rows)


def compose(a: Relation, b: Relation) -> Relation:
    """``a ; b``."""
    rows = []
    for row in a:
        out = 0
        while row:
            low = row & -row
            out |= b[low.bit_length() - 1]
            row ^= low
        rows.append(out)
    return tuple(rows)


def inverse(a: Relation) -> Relation:
    """``a^-1``."""
    return relation(len(a), ((j, i) for i, j in pairs(a)))


def closure(a: Relation) -> Relation:
    """``a+`` (Warshall)."""
    rows = list(a)
    for k in range(len(rows)):
        bit, through = 1 << k, rows[k]
        for i, row in enumerate(rows):
            if row & bit:
                rows[i] = row | through
    return tuple(rows)


def reflexive(a: Relation) -> bool:
    """Whether some event is related to itself."""
    return any(row >> i & 1 for i, row in enumerate(a))


class Evaluation:
    """A model evaluated on one execution of ``size`` events, from the given sets and relations."""

    def __init__(self, model: Model, size: int, sets: Mapping[str, Set], relations: Mapping[str, Relation]) -> None:
        self.size = size
        self.all = (1 << size) - 1
        self.identity: Relation = tuple(1 << i for i in range(size))
        self.sets = dict(sets)
        self.relations = {**relations, "id": self.identity}
        self.model = model
        for definition in model.definitions:
            if definition.kind == "set":
                self.sets[definition.name] = self.set(definition.expr)
            else:
                self.relations[definition.name] = self.relation(definition.expr)

    def holds(self, axiom: Axiom) -> bool:
        """Whether the execution satisfies a check."""
        match axiom.check:
            case "empty":
                is_set = self.model.kind(axiom.expr) == "set"
                result = not self.set(axiom.expr) if is_set else not any(self.relation(axiom.expr))
            case "irreflexive":
                result = not reflexive(self.relation(axiom.expr))
            case _:
                result = not reflexive(closure(self.relation(axiom.expr)))
        return result != axiom.negated

    def set(self, expr: tree.Expr) -> Set:
        """The value of an expression that denotes a set."""
        match expr:
            case tree.Name(_, name):
                return self.sets[name]
            case tree.Universe():
                return self.all
            case tree.Zero():
                return 0
            case tree.Binary(_, op, left, right):
                a, b = self.set(left), self.set(right)
                return a | b if op == "|" else a & b if op == "&" else a & ~b
            case tree.Complement(_, operand):
                return self.all & ~self.set(operand)
            case tree.End(_, "range", operand):
                out = 0
                for row in self.relation(operand):
                    out |= row
                return out
            case tree.End(_, _, operand):
                return sum(1 << i for i, row in enumerate(self.relation(operand)) if row)
            case _:
                raise AssertionError(f"not a set: {expr}")

    def relation(self, expr: tree.Expr) -> Relation:
        """The value of an expression that denotes a relation."""
        match expr:
            case tree.Name(_, name):
                return self.relations[name]
            case tree.Universe():
                return (self.all,) * self.size
            case tree.Zero():
                return (0,) * self.size
            case tree.Binary(_, "*", left, right):
                a, b = self.set(left), self.set(right)
                return tuple(b if a >> i & 1 else 0 for i in range(self.size))
            case tree.Binary(_, op, left, right):
                x, y = self.relation(left), self.relation(right)
                match op:
                    case "|":
                        return tuple(a | b for a, b in zip(x, y, strict=True))
                    case "&":
                        return tuple(a & b for a, b in zip(x, y, strict=True))
                    case "\\":
                        return tuple(a & ~b for a, b in zip(x, y, strict=True))
                    case _:
                        return compose(x, y)
            case tree.Complement(_, operand):
                return tuple(self.all & ~row for row in self.relation(operand))
            case tree.IdentityOn(_, operand):
                members = self.set(operand)
                return tuple(members & 1 << i for i in range(self.size))
            case tree.Postfix(_, op, operand):
                rows = self.relation(operand)
                match op:
                    case "+":
                        return closure(rows)
                    case "*":
                        return tuple(row | own for row, own in zip(closure(rows), self.identity, strict=True))
                    case "?":
                        return tuple(row | own for row, own in zip(rows, self.identity, strict=True))
                    case _:
                        return inverse(rows)
            case tree.End() | tree.Application() | tree.LetIn() | tree.Try():
                raise AssertionError(f"not a relation: {expr}")
            case _:
                assert_never(expr)
