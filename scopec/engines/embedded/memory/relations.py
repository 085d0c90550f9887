"""Cat expressions as sparse matrices of literals: entry (i, j) says when event i is related to event j."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, TypeAlias, assert_never

from scopec.base.graphs import components
from scopec.engines.embedded.memory.circuit import FALSE
from scopec.engines.embedded.memory.lazy_closures import Relation, containing, exactly
from scopec.memory.cat import tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from scopec.engines.embedded.memory.circuit import Circuit
    from scopec.memory.cat.model import Axiom, Model

#: Literals by position; what is absent is false.
Set: TypeAlias = "dict[int, int]"


class Matrices:
    """The sets and relations of a model over ``executed`` events, made when they are first asked for.

    ``given`` makes the given ones.  A closure is a set of free pairs that contains it, which suffices wherever a pair
    is only ever forbidden; those numbered in ``exact``, all if it is None, are the closure itself.
    """

    def __init__(
        self,
        circuit: Circuit,
        model: Model,
        executed: Set,
        sets: Callable[[str], Set],
        relations: Callable[[str], Relation],
        exact: frozenset[int] | None,
    ) -> None:
        self.circuit = circuit
        self.model = model
        self.executed = executed
        self._given_set = sets
        self._given_relation = relations
        self._exact = exact
        self._closures = 0
        self._definitions: Mapping[str, tree.Expr] = {d.name: d.expr for d in model.definitions}
        self._sets: dict[str, Set] = {}
        self._relations: dict[str, Relation] = {}
        self.identity: Relation = {i: {i: a} for i, a in executed.items()}

    def violated(self, axiom: Axiom) -> int:
        """The literal of: the check does not hold."""
        match axiom.check:
            case "empty":
                if self.model.kind(axiom.expr) == "set":
                    bad = list(self.set(axiom.expr).values())
                else:
                    bad = [a for _, _, a in entries(self.relation(axiom.expr))]
            case "irreflexive":
                bad = list(self._diagonal(axiom.expr).values())
            case _:
                closed = self._closure(cyclic_part(self.relation(axiom.expr)))
                bad = [row[i] for i, row in closed.items() if i in row]
        found = self.circuit.any(bad)
        return -found if axiom.negated else found

    def _diagonal(self, expr: tree.Expr) -> Set:
        """The literals for which each event is related to itself."""
        within = {i: {i: a} for i, a in self.executed.items()}
        return {i: row[i] for i, row in self._inside(expr, within).items()}

    def _inside(self, expr: tree.Expr, bounds: Relation) -> Relation:
        """The intersection with ``bounds``; of a composition, no other pair is made."""
        both, any_ = self.circuit.both, self.circuit.any
        match expr:
            case tree.Binary(_, ";", left, right) if not (
                isinstance(left, tree.IdentityOn) or isinstance(right, tree.IdentityOn)
            ):
                if not bounds:
                    return {}
                x, into = self.relation(left), inverse(self.relation(right))
                return _rows(
                    {
                        i: {
                            j: both(v, any_(both(step, into[j][k]) for k, step in x[i].items() if k in into[j]))
                            for j, v in row.items()
                            if j in into
                        }
                        for i, row in bounds.items()
                        if i in x
                    }
                )
            case _:
                y = self.relation(expr)
                return _rows(
                    {
                        i: {j: both(v, y[i][j]) for j, v in row.items() if j in y[i]}
                        for i, row in bounds.items()
                        if i in y
                    }
                )

    def set(self, expr: tree.Expr) -> Set:
        """An expression that denotes a set."""
        both, either = self.circuit.both, self.circuit.either
        match expr:
            case tree.Name(_, name):
                if name not in self._sets:
                    definition = self._definitions.get(name)
                    self._sets[name] = self._given_set(name) if definition is None else self.set(definition)
                return self._sets[name]
            case tree.Universe():
                return self.executed
            case tree.Zero():
                return {}
            case tree.Binary(_, op, left, right):
                a, b = self.set(left), self.set(right)
                match op:
                    case "|":
                        return {**a, **{i: either(a[i], v) if i in a else v for i, v in b.items()}}
                    case "&":
                        return trimmed({i: both(v, b[i]) for i, v in a.items() if i in b})
                    case _:
                        return trimmed({i: both(v, -b[i]) if i in b else v for i, v in a.items()})
            case tree.Complement(_, operand):
                a = self.set(operand)
                return trimmed({i: both(v, -a[i]) if i in a else v for i, v in self.executed.items()})
            case tree.End(_, op, operand):
                relation = self.relation(operand)
                rows = relation if op == "domain" else inverse(relation)
                return {i: self.circuit.any(row.values()) for i, row in rows.items()}
            case _:
                raise AssertionError(f"not a set: {expr}")

    def relation(self, expr: tree.Expr) -> Relation:
        """An expression that denotes a relation."""
        circuit = self.circuit
        match expr:
            case tree.Name(_, "id"):
                return self.identity
            case tree.Name(_, name):
                if name not in self._relations:
                    definition = self._definitions.get(name)
                    self._relations[name] = (
                        self._given_relation(name) if definition is None else self.relation(definition)
                    )
                return self._relations[name]
            case tree.Universe():
                return self._product(self.executed, self.executed)
            case tree.Zero():
                return {}
            case tree.Binary(_, "*", left, right):
                return self._product(self.set(left), self.set(right))
            case tree.Binary(_, ";", tree.IdentityOn(_, members), right):
                chosen = self.set(members)
                rows = self.relation(right) if chosen else {}
                return _rows(
                    {i: {j: circuit.both(a, v) for j, v in rows[i].items()} for i, a in chosen.items() if i in rows}
                )
            case tree.Binary(_, ";", left, tree.IdentityOn(_, members)):
                chosen = self.set(members)
                return _rows(
                    {
                        i: {j: circuit.both(v, chosen[j]) for j, v in row.items() if j in chosen}
                        for i, row in self.relation(left).items()
                    }
                )
            case tree.Binary(_, "&", left, tree.Binary(_, "*", first, second)):
                return self._within(self.relation(left), self.set(first), self.set(second), keep=True)
            case tree.Binary(_, "\\", left, tree.Binary(_, "*", first, second)):
                return self._within(self.relation(left), self.set(first), self.set(second), keep=False)
            case tree.Binary(_, "&", left, right):
                return self._inside(right, self.relation(left))
            case tree.Binary(_, op, left, right):
                x = self.relation(left)
                if not x and op != "|":
                    return {}
                y = self.relation(right)
                match op:
                    case "|":
                        return self._union(x, y)
                    case "\\":
                        return self._difference(x, y)
                    case _:
                        return self._compose(x, y)
            case tree.Complement(_, operand):
                return self._difference(self._product(self.executed, self.executed), self.relation(operand))
            case tree.IdentityOn(_, operand):
                return {i: {i: a} for i, a in self.set(operand).items()}
            case tree.Postfix(_, op, operand):
                rows = self.relation(operand)
                match op:
                    case "+":
                        return self._closure(rows)
                    case "*":
                        return self._union(self._closure(rows), self.identity)
                    case "?":
                        return self._union(rows, self.identity)
                    case _:
                        return inverse(rows)
            case tree.End() | tree.Application() | tree.LetIn() | tree.Try():
                raise AssertionError(f"not a relation: {expr}")
            case _:
                assert_never(expr)

    def union(self, relations: Iterable[Relation]) -> Relation:
        """The union of relations."""
        return reduce(self._union, relations, {})

    def from_reads(self, rf: Relation, co: Relation) -> Relation:
        """``rf^-1 ; co``."""
        return self._compose(inverse(rf), co)

    def _product(self, a: Set, b: Set) -> Relation:
        both = self.circuit.both
        return _rows({i: {j: both(v, w) for j, w in b.items()} for i, v in a.items()})

    def _within(self, x: Relation, a: Set, b: Set, *, keep: bool) -> Relation:
        """``x & a*b`` or ``x \\ a*b``, without making the product."""
        both, without = self.circuit.both, self.circuit.without

        def entry(i: int, j: int, value: int) -> int:
            inside = both(a.get(i, FALSE), b.get(j, FALSE))
            return both(value, inside) if keep else without(value, inside)

        return _rows({i: {j: entry(i, j, v) for j, v in row.items()} for i, row in x.items()})

    def _union(self, x: Relation, y: Relation) -> Relation:
        either = self.circuit.either
        out = {i: dict(row) for i, row in x.items()}
        for i, row in y.items():
            mine = out.get(i)
            if mine is None:
                out[i] = dict(row)
                continue
            for j, v in row.items():
                mine[j] = either(mine[j], v) if j in mine else v
        return out

    def _difference(self, x: Relation, y: Relation) -> Relation:
        without = self.circuit.without
        none: dict[int, int] = {}
        return _rows(
            {
                i: {j: without(v, other[j]) if j in other else v for j, v in row.items()}
                for i, row in x.items()
                for other in (y.get(i, none),)
            }
        )

    def _compose(self, x: Relation, y: Relation) -> Relation:
        both = self.circuit.both
        out: Relation = {}
        for i, row in x.items():
            sums: dict[int, list[int]] = {}
            for k, v in row.items():
                for j, w in y.get(k, {}).items():
                    both_ = both(v, w)
                    if both_ != FALSE:
                        sums.setdefault(j, []).append(both_)
            if sums:
                out[i] = {j: self.circuit.any(parts) if len(parts) > 1 else parts[0] for j, parts in sums.items()}
        return out

    # ---- closures

    def _closure(self, rows: Relation) -> Relation:
        number = self._closures
        self._closures += 1
        if self._exact is None or number in self._exact:
            return exactly(self.circuit, rows)
        return containing(self.circuit, rows, number)


def entries(rows: Relation) -> Iterator[tuple[int, int, int]]:
    """The pairs of a relation with their literals."""
    for i, row in rows.items():
        for j, v in row.items():
            yield i, j, v


def inverse(rows: Relation) -> Relation:
    """The relation the other way round."""
    out: Relation = {}
    for i, j, v in entries(rows):
        out.setdefault(j, {})[i] = v
    return out


def trimmed(literals: Set) -> Set:
    """Without what is false."""
    return {i: v for i, v in literals.items() if v != FALSE}


def _rows(rows: Relation) -> Relation:
    out = {i: trimmed(row) for i, row in rows.items()}
    return {i: row for i, row in out.items() if row}


def cyclic_part(rows: Relation) -> Relation:
    """The pairs that can be on a cycle: those inside one strongly connected component."""
    events = list({*rows, *(j for row in rows.values() for j in row)})
    number: dict[int, int] = {}
    for n, group in enumerate(components(events, lambda i: list(rows.get(i, ())))):
        number.update(dict.fromkeys(group, n))
    return _rows({i: {j: v for j, v in row.items() if number[j] == number[i]} for i, row in rows.items()})
