"""Models that take a read-modify-write as one event, as herd7's C models do, over executions in which it is two."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from scopec.memory.cat import tree
from scopec.memory.cat.model import Axiom, Definition, Kind, Model
from scopec.memory.given.relations import RELATIONS
from scopec.memory.given.sets import SETS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span


def one_event(model: Model, prelude: tuple[Definition, ...], names: Mapping[str, str]) -> Model:
    """The model in which each given name stands for what it is where a read-modify-write is its write alone.

    ``prelude`` are the definitions of one_event.cat, and ``names`` gives those of given sets and relations in it; what
    is not in it is restricted to the events that there are.
    """
    return _OneEvent(model, prelude, names).model()


class _OneEvent:
    def __init__(self, model: Model, prelude: tuple[Definition, ...], names: Mapping[str, str]) -> None:
        self.old = model
        taken = {d.name for d in (*model.definitions, *model.orders)} | SETS.keys() | RELATIONS.keys()
        self.own: dict[str, str] = {}
        for name in (*(d.name for d in prelude), *model.mentioned):
            fresh, number = name, 2
            while fresh in taken:
                fresh, number = f"{name}_{number}", number + 1
            taken.add(fresh)
            self.own[name] = fresh
        self.prelude = {d.name: d for d in prelude}
        self.names = names
        self.used: dict[str, Definition] = {}

    def model(self) -> Model:
        old = self.old
        definitions = tuple(replace(d, expr=self.taken(d.expr, d.kind)) for d in old.definitions)
        orders = tuple(replace(d, expr=self.taken(d.expr, d.kind)) for d in old.orders)
        axioms, flags = (tuple(self.check(a) for a in checks) for checks in (old.axioms, old.flags))
        own = (*self.used.values(), *definitions)
        return replace(old, definitions=own, orders=orders, axioms=axioms, flags=flags)

    def check(self, axiom: Axiom) -> Axiom:
        return replace(axiom, expr=self.taken(axiom.expr, self.old.kind(axiom.expr) or "relation"))

    def given(self, name: str, span: Span) -> tree.Expr:
        """A given set or relation, where a read-modify-write is one event."""
        if name in self.names:
            return self.defined(self.names[name], span)
        kind: Kind = "set" if name in SETS else "relation"
        own = self.own[name]
        if own not in self.used:
            expr = tree.Binary(span, "&", tree.Name(span, name), self.everything(span, kind))
            self.used[own] = Definition(own, kind, expr, f"let {own} = {name}, where a read-modify-write is one event")
        return tree.Name(span, own)

    def defined(self, name: str, span: Span) -> tree.Expr:
        """A name of the prelude; it is defined, after what it needs, where it is used."""
        own = self.own[name]
        if own not in self.used:
            definition = self.prelude[name]
            expr = self.renamed(definition.expr)
            self.used[own] = replace(definition, name=own, expr=expr)
        return tree.Name(span, own)

    def everything(self, span: Span, kind: Kind) -> tree.Expr:
        """All events, or all pairs of them."""
        events = self.defined("events", span)
        return events if kind == "set" else tree.Binary(span, "*", events, events)

    def renamed(self, expr: tree.Expr) -> tree.Expr:
        """An expression of the prelude, which is about two events and has its own names for what it defines."""
        match expr:
            case tree.Name(span, name):
                return self.defined(name, span) if name in self.prelude else expr
            case tree.Universe() | tree.Zero():
                return expr
            case tree.Binary(span, op, left, right):
                return tree.Binary(span, op, self.renamed(left), self.renamed(right))
            case tree.Postfix() | tree.Complement() | tree.IdentityOn() | tree.End():
                return replace(expr, operand=self.renamed(expr.operand))
            case tree.Application() | tree.LetIn() | tree.Try():
                raise AssertionError("resolved")
            case _:
                assert_never(expr)

    def taken(self, expr: tree.Expr, want: Kind) -> tree.Expr:
        """An expression of the model; ``want`` says what it is where it can be either."""
        kind = self.old.kind(expr) or want
        match expr:
            case tree.Name(span, name):
                return self.given(name, span) if name in SETS or name in RELATIONS else expr
            case tree.Universe(span):
                return self.everything(span, want)
            case tree.Zero():
                return expr
            case tree.Binary(span, op, left, right):
                of: Kind = "relation" if op == ";" else "set" if op == "*" else kind
                return tree.Binary(span, op, self.taken(left, of), self.taken(right, of))
            case tree.Complement(span, operand):
                return tree.Binary(span, "\\", self.everything(span, kind), self.taken(operand, kind))
            case tree.IdentityOn(span, operand):
                return tree.IdentityOn(span, self.taken(operand, "set"))
            case tree.End(span, op, operand):
                return tree.End(span, op, self.taken(operand, "relation"))
            case tree.Postfix(span, op, operand):
                inner = self.taken(operand, "relation")
                if op not in ("*", "?"):
                    return tree.Postfix(span, op, inner)
                once = tree.Postfix(span, "+", inner) if op == "*" else inner
                return tree.Binary(span, "|", once, tree.IdentityOn(span, self.defined("events", span)))
            case tree.Application() | tree.LetIn() | tree.Try():
                raise AssertionError("resolved")
            case _:
                assert_never(expr)
