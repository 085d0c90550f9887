"""Cat expressions in Alloy.

Alloy's ``iden`` and ``*r`` range over every atom, values and unexecuted events included, so identities are written
with ``id``, the identity on executed events, and complements with ``Exec``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from scopec.memory.cat import tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.memory.cat.model import Axiom, Kind

#: Binding strength of Alloy's operators, loosest first.
_UNION, _INTERSECTION, _ARROW, _RESTRICTION, _JOIN, _UNARY, _ATOM = range(7)


class Printer:
    """Prints resolved cat expressions; ``kind`` tells sets from relations (None: either)."""

    def __init__(self, kind: Callable[[tree.Expr], Kind | None]) -> None:
        self.kind = kind

    def show(self, expr: tree.Expr, outer: int = 0, *, want: Kind = "relation") -> str:
        """The expression in Alloy, in parentheses where the context binds tighter than ``outer``."""
        text, level = self._show(expr, want)
        return f"({text})" if level < outer else text

    def _show(self, expr: tree.Expr, want: Kind) -> tuple[str, int]:
        match expr:
            case tree.Name(_, name):
                return alloy_name(name), _ATOM
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
            case tree.Application():
                raise AssertionError("applications are resolved")
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


#: Words that Alloy 6 keeps for itself, and names that the generated specification uses.
_TAKEN = frozenset(
    """
    abstract all and as assert but check disj else enum exactly exh exhaustive expect extends fact for fun iden
    iff implies in Int int let lone module no none not one open or part partition pred private run seq set sig
    some String sum this univ var always eventually after before once historically until releases since
    triggered steps Event Value Exec Choice rf_ co_ wv_ rv wv
    """.split()  # noqa: SIM905
)


def alloy_name(name: str) -> str:
    """A cat name as an Alloy name: ``-`` and ``.`` become ``_``, reserved words get one more."""
    plain = name.replace("-", "_").replace(".", "_")
    return plain + "_" if plain in _TAKEN and plain not in ("int",) else "int_" if plain == "int" else plain
