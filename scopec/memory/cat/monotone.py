"""Models whose executions stay executions when what nobody notices is taken out of them.

Taken out are whole turns of a loop, from whose events nobody reads, which write nothing.  What is given of the events
that are left stays as it is: it is said of each pair by itself.  So an expression of what is given, without a step over
another event, is *exact*.  One with such steps may lose pairs with the event between them, and never gains any; behind
a complement or on the right of a difference it is the other way round.

An axiom that forbids what can only become less holds afterwards, and a flag that reports what can only become more
still does, unless it is about what was taken out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from scopec.memory.cat import tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.memory.cat.model import Model


def loses_nothing(model: Model) -> bool:
    """Whether the axioms of a model forbid only what becomes less, and its flags report only what becomes more."""
    found = _Expressions({d.name: d.expr for d in model.definitions})
    return (
        all(not axiom.negated and found.becomes_less(axiom.expr) for axiom in model.axioms)
        and all(flag.negated and flag.check == "empty" and found.becomes_more(flag.expr) for flag in model.flags)
        and all(found.is_exact(order.expr) for order in model.orders)
    )


class _Expressions:
    def __init__(self, definitions: Mapping[str, tree.Expr]) -> None:
        self._definitions = definitions
        self._known: dict[tuple[str, bool], bool] = {}

    def becomes_less(self, expr: tree.Expr) -> bool:
        """Whether an expression has no pair among what is left that it had not before."""
        return self._changes(expr, more=False)

    def becomes_more(self, expr: tree.Expr) -> bool:
        """Whether it has each pair among what is left that it had before."""
        return self._changes(expr, more=True)

    def is_exact(self, expr: tree.Expr) -> bool:
        """Whether it has just those."""
        return self.becomes_less(expr) and self.becomes_more(expr)

    def _changes(self, expr: tree.Expr, *, more: bool) -> bool:
        match expr:
            case tree.Name(_, name):
                return self._named(name, more=more)
            case tree.Universe() | tree.Zero():
                return True
            case tree.Binary(_, ";", left, right):
                sides = self._changes(left, more=more) and self._changes(right, more=more)
                return sides and (not more or self._keeps_middle(left, right))
            case tree.Binary(_, "\\", left, right):
                return self._changes(left, more=more) and self._changes(right, more=not more)
            case tree.Binary(_, _, left, right):  # the union, the intersection, the product of two sets
                return self._changes(left, more=more) and self._changes(right, more=more)
            case tree.Complement(_, operand):
                return self._changes(operand, more=not more)
            case tree.IdentityOn(_, operand) | tree.Postfix(_, "?" | "^-1", operand):
                return self._changes(operand, more=more)
            case tree.Postfix(_, _, operand):
                return not more and self._changes(operand, more=more)
            case tree.End(_, _, operand):
                return not more and self._changes(operand, more=more)
            case tree.Application() | tree.LetIn() | tree.Try():
                raise AssertionError("resolved")
            case _:
                assert_never(expr)

    def _named(self, name: str, *, more: bool) -> bool:
        if name not in self._definitions:
            return True
        if (name, more) not in self._known:
            self._known[name, more] = self._changes(self._definitions[name], more=more)
        return self._known[name, more]

    def _keeps_middle(self, left: tree.Expr, right: tree.Expr) -> bool:
        """Whether the event between is one of the two, or a write: these stay."""
        if isinstance(left, tree.IdentityOn) or isinstance(right, tree.IdentityOn):
            return True
        return self._ends_at_write(left)

    def _ends_at_write(self, expr: tree.Expr) -> bool:
        match expr:
            case tree.Name(_, name) if name in self._definitions:
                return self._ends_at_write(self._definitions[name])
            case tree.Name(_, name):
                return name == "co"
            case tree.Postfix(_, "^-1", tree.Name(_, "rf")):
                return "rf" not in self._definitions
            case _:
                return False
