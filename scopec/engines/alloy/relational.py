"""Cat expressions in Alloy.

Alloy's ``iden`` and ``*r`` range over every atom, values and unexecuted events included, so identities are written
with ``id``, the identity on executed events, and complements with ``Exec``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, assert_never

from scopec.memory.cat import tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scopec.memory.cat.model import Axiom, Kind, Model

#: Binding strength of Alloy's operators, loosest first.
_UNION, _INTERSECTION, _ARROW, _RESTRICTION, _JOIN, _UNARY, _ATOM = range(7)


class Printer:
    """Prints a model's expressions; ``name`` gives the Alloy names of its sets and relations."""

    def __init__(self, model: Model, name: Callable[[str], str]) -> None:
        self.kind = model.kind
        self.name = name

    def show(self, expr: tree.Expr, outer: int = 0, *, want: Kind = "relation") -> str:
        """The expression in Alloy, in parentheses where the context binds tighter than ``outer``."""
        text, level = self._show(expr, want)
        return f"({text})" if level < outer else text

    def _show(self, expr: tree.Expr, want: Kind) -> tuple[str, int]:
        match expr:
            case tree.Name(_, name):
                return self.name(name), _ATOM
            case tree.Universe():
                return ("Exec", _ATOM) if want == "set" else ("Exec->Exec", _ARROW)
            case tree.Zero():
                return ("none", _ATOM) if want == "set" else ("none->none", _ARROW)
            case tree.Binary(_, ";", tree.IdentityOn(_, members), right):
                return f"{self.show(members, _JOIN, want='set')} <: {self.show(right, _JOIN)}", _RESTRICTION
            case tree.Binary(_, ";", left, tree.IdentityOn(_, members)):
                return f"{self.show(left, _RESTRICTION)} :> {self.show(members, _JOIN, want='set')}", _RESTRICTION
            case tree.Binary(_, ";", left, right):
                return f"{self.show(left, _JOIN)}.{self.show(right, _UNARY)}", _JOIN
            case tree.Binary(_, "*", left, right):
                return (
                    f"{self.show(left, _RESTRICTION, want='set')}->{self.show(right, _RESTRICTION, want='set')}",
                    _ARROW,
                )
            case tree.Binary(_, op, left, right):
                kind = self.kind(expr) or want
                sign, level = {"|": ("+", _UNION), "&": ("&", _INTERSECTION), "\\": ("-", _UNION)}[op]
                return f"{self.show(left, level, want=kind)} {sign} {self.show(right, level + 1, want=kind)}", level
            case tree.Complement(_, operand):
                kind = self.kind(expr) or want
                whole = "Exec" if kind == "set" else "Exec->Exec"
                return f"{whole} - {self.show(operand, _INTERSECTION, want=kind)}", _UNION
            case tree.IdentityOn(_, members):
                return f"{self.show(members, _JOIN, want='set')} <: id", _RESTRICTION
            case tree.Postfix(_, "+", operand):
                return f"^{self.show(operand, _ATOM)}", _UNARY
            case tree.Postfix(_, "^-1", operand):
                return f"~{self.show(operand, _ATOM)}", _UNARY
            case tree.Postfix(_, "*", operand):
                return f"id + ^{self.show(operand, _ATOM)}", _UNION
            case tree.Postfix(_, _, operand):
                return f"id + {self.show(operand, _INTERSECTION)}", _UNION
            case tree.End(_, "domain", operand):
                return f"{self.show(operand, _JOIN)}.Exec", _JOIN
            case tree.End(_, _, operand):
                return f"Exec.{self.show(operand, _UNARY)}", _JOIN
            case tree.Application() | tree.LetIn() | tree.Try():
                raise AssertionError("resolved")
            case _:
                assert_never(expr)

    def axiom(self, axiom: Axiom) -> str:
        """The formula of a check."""
        match axiom.check:
            case "empty":
                text = f"no {self.show(axiom.expr, want=self.kind(axiom.expr) or 'relation')}"
            case "irreflexive":
                text = f"no id & {self.show(axiom.expr, _ARROW)}"
            case _:
                text = f"no id & ^{self.show(axiom.expr, _ATOM)}"
        return f"not ({text})" if axiom.negated else text

    def race(self, race: tree.Expr, at: str) -> str:
        """The formula that a pair in ``race`` is in a relation."""
        return f"some {self.show(race, _INTERSECTION)} & {at}"

    def flag(self, flag: Axiom) -> str:
        """The formula that a flag is raised."""
        if flag.check == "empty" and flag.negated:
            return f"some {self.show(flag.expr, want=self.kind(flag.expr) or 'relation')}"
        return self.axiom(flag)


#: Words that Alloy 6 keeps for itself, functions of the module that it opens by itself, and names that the generated
#: specification uses.
_TAKEN = frozenset(
    """
    abstract all and as assert but check disj else enum exactly exh exhaustive expect extends fact for fun iden
    iff implies in Int int let lone module no none not one open or part partition pred private run seq set sig
    some String sum this univ var always eventually after before once historically until releases since
    triggered steps
    add plus sub minus mul div rem negate eq gt lt gte lte zero pos neg nonpos nonneg signum int2elem elem2int max min
    next prev nexts prevs larger smaller
    Event Value Exec Choice Last rf_ co_ partial_co_ wv_ sync_fence_ rv wv unordered fence_pairs candidate
    consistent complete
    """.split()  # noqa: SIM905
)
#: The specification's names of conditions, tables, values, groups and locations.
_GENERATED = re.compile(r"n\d+|order_\d+_|vm?\d+|(c|path|f|w|r|at|th|init|final|last)?_.*|init")


class Names:
    """Alloy names for what a model names, each its own and none of ``taken``; those of ``fixed`` are kept."""

    def __init__(self, taken: Iterable[str], fixed: Iterable[str]) -> None:
        self._names = {name: name for name in fixed}
        self._taken = {*taken, *_TAKEN, *self._names}

    def of(self, name: str) -> str:
        """The name of a set, relation or function: ``-`` and ``.`` become ``_``, and what is taken gets one more."""
        if name not in self._names:
            self._names[name] = self.new(name)
        return self._names[name]

    def new(self, name: str, more: str = "_") -> str:
        """A name of its own for what nothing refers to."""
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        if _GENERATED.fullmatch(plain):
            plain = f"cat_{plain}"
        while plain in self._taken:
            plain += more
        self._taken.add(plain)
        return plain
