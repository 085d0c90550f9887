"""``with x from …``: relations that an execution chooses, as herd7's ``linearisations`` and ``generate_orders`` give.

"The call linearisations(E,r) [...] returns the set of all total strict orders defined on E that extend r.  Notice that
if r is cyclic, the empty set is returned" (herd7's manual); as in its sources, r may lead through events outside E.
generate_orders(E,r) orders the events of E at each location alone, and generate_cos(r) is generate_orders(W,r)
(cross.cat).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.cat import tree
from scopec.memory.cat.model import Axiom

if TYPE_CHECKING:
    from scopec.base.source import Span

#: The calls that give orders, by how many arguments they take; those of cross.cat order each location alone.
CALLS = {"linearisations": 2, "generate_orders": 2, "generate_cos": 1}


@dataclass(frozen=True, slots=True)
class Orders:
    """All strict orders of ``domain`` that extend a relation: total, or ``local``: total at each location."""

    span: Span
    domain: tree.Expr
    extended: tree.Expr
    local: bool

    @property
    def pairs(self) -> tree.Expr:
        """The pairs of events that an order relates, one way or the other."""
        pairs: tree.Expr = tree.Binary(self.span, "*", self.domain, self.domain)
        return tree.Binary(self.span, "&", pairs, tree.Name(self.span, "loc")) if self.local else pairs

    @property
    def of_writes(self) -> bool:
        """Whether these are orders of writes at each location: coherence orders, restricted to some writes."""
        return self.local and _of_writes(self.domain)

    @property
    def nothing(self) -> bool:
        """Whether there is surely nothing to order."""
        return _empty(self.domain)

    def axiom(self, name: str, text: str) -> Axiom:
        """The axiom that makes the relation ``name`` one of these orders: the pairs that are wrong."""
        span, own = self.span, tree.Name(self.span, name)

        def binary(op: str, left: tree.Expr, right: tree.Expr) -> tree.Expr:
            return tree.Binary(span, op, left, right)

        identity = tree.Name(span, "id")
        outside = binary("\\", own, self.pairs)
        reflexive = binary("&", own, identity)
        untransitive = binary("\\", binary(";", own, own), own)
        either = binary("|", own, tree.Postfix(span, "^-1", own))
        unrelated = binary("\\", self.pairs, binary("|", either, identity))
        wrong = binary("|", binary("|", outside, reflexive), binary("|", untransitive, unrelated))
        return Axiom(f"{name}-order", "empty", False, binary("|", wrong, self.against(own)), text)

    def against(self, own: tree.Expr) -> tree.Expr:
        """The pairs of the extended relation that a relation lacks."""
        extended = tree.Binary(self.span, "&", tree.Postfix(self.span, "+", self.extended), self.pairs)
        return tree.Binary(self.span, "\\", extended, own)


def _of_writes(domain: tree.Expr) -> bool:
    """Whether a set surely has writes alone."""
    match domain:
        case tree.Name(_, name):
            return name in ("W", "IW")
        case tree.Binary(_, "&", left, right):
            return _of_writes(left) or _of_writes(right)
        case tree.Binary(_, "\\", left, _):
            return _of_writes(left)
        case tree.Binary(_, "|", left, right):
            return _of_writes(left) and _of_writes(right)
        case _:
            return False


def _empty(expr: tree.Expr) -> bool:
    match expr:
        case tree.Zero():
            return True
        case tree.End(_, _, operand):
            return _empty(operand)
        case tree.Binary(_, "|", left, right):
            return _empty(left) and _empty(right)
        case _:
            return False
