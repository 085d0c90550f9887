"""The given sets and relations of a program as functions of Alloy.

The form is the one that Alloy's translation to SAT is fastest on (memory-models note, "Encoding"): what the program
fixes is a function without arguments over constants, so that it folds away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from scopec.engines.alloy.text import Named, operand, parenthesised, union
from scopec.memory.given import relations, sets
from scopec.memory.given.forms import (
    Closure,
    Coherence,
    Except,
    Identity,
    Order,
    Pair,
    Product,
    Same,
    Sources,
    Square,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scopec.engines.alloy.groups import Groups
    from scopec.engines.alloy.paths import Conditions
    from scopec.memory.given.forms import Form, Members
    from scopec.memory.questions import Problem

#: The relations that the template declares: the rest of the specification is made from them.
DECLARED = ("rf", "co", "id")
#: Forms that are written over executed events alone.
_EXECUTED = (Except, Order, Same, Sources, Coherence)


class Given:
    """Translates forms to expressions over groups of events."""

    def __init__(self, problem: Problem, groups: Groups, conditions: Conditions) -> None:
        self.problem = problem
        self.groups = groups
        self.conditions = conditions
        self.partial_co = problem.model.partial_co

    def named(self) -> Iterator[Named]:
        """The given sets and relations that the model or a question names."""
        for name, row in sets.SETS.items():
            if name in self.problem.named:
                yield Named(name, self.set(sets.members(self.problem.base, name)), "set Event", row.means)
        for name, relation in relations.RELATIONS.items():
            if name in self.problem.named and name not in DECLARED:
                yield Named(name, self.relation(self.problem.forms(name)), "Event->Event", relation.means)

    def set(self, members: Iterable[Members]) -> str:
        """A set of executed events."""
        parts = []
        for part in members:
            events = self.groups.set(part.events)
            parts.append(events if part.when is None else self.conditions.where(part.when, operand(events), "none"))
        body = union(parts)
        if not body:
            return "none"
        return f"{operand(body)} & Exec" if self.groups.conditional else body

    def relation(self, forms: Iterable[Form]) -> str:
        """A relation of executed events."""
        listed = list(forms)
        body = union(self._form(form) for form in listed if not isinstance(form, _EXECUTED))
        others = [self._form(form) for form in listed if isinstance(form, _EXECUTED)]
        return union([self.groups.executed(body), *others] if body else others) or "none->none"

    def _form(self, form: Form) -> str:
        match form:
            case Pair(before, after, when):
                return self.conditions.where(when, f"{before}->{after}", "none->none")
            case Product(before, after, when):
                product = f"{operand(self.groups.set(before))}->{operand(self.groups.set(after))}"
                return self.conditions.where(when, product, "none->none")
            case Square(events):
                return f"{self.groups.square(events)}->{self.groups.square(events)}"
            case Identity(events):
                return f"({self.groups.set(events)} <: id)"
            case Closure(steps):
                pairs = [f"{a}->{b}" for a, b in steps]
                return f"^({union(pairs)})" if len(pairs) > 1 else pairs[0]
            case Order():
                return "^sync_fence_"
            case Except():
                return f"Exec->Exec - ({union(map(self._form, form.forms)) or 'none->none'})"
            case Same():
                return "id"
            case Sources():
                return "rf"
            case Coherence():
                return "co"
            case _:
                assert_never(form)

    # ---- what an execution chooses

    def sources(self) -> str:
        """The pairs of a write and a read that may read from it."""
        names = [self.groups.at(at) for at in self.groups.graph.locations if at in self.groups.reads]
        return union(f"w_{name}->r_{name}" for name in names) or "none->none"

    def reads(self) -> str:
        """All reads."""
        names = [self.groups.at(at) for at in self.groups.graph.locations if at in self.groups.reads]
        return union(f"r_{name}" for name in names) or "none"

    def coherence(self) -> tuple[str, str]:
        """``co``, and the pairs of writes that the program leaves unordered, one way round each.

        Each such pair is in ``co_`` or the other way round in ``co``, so that co is total by form: one variable a pair,
        and only transitivity left to ask.  A partial co is what is chosen among the pairs in both directions.
        """
        parts: list[str] = []
        free: list[str] = []
        for location, (initial, *rest) in self.groups.writes.items():
            assert location is not None
            name = f"w_{self.groups.at(location)}"
            if rest:
                executed = f"({name} & Exec - {initial})" if self.groups.conditional else f"({name} - {initial})"
                parts.append(f"{initial}->{executed}")
                if self.partial_co and len(rest) > 1:
                    free.append(f"({name} - {initial})->({name} - {initial})")
            if not self.partial_co:
                free += [f"{write}->{parenthesised(rest[i + 1 :])}" for i, write in enumerate(rest[:-1])]
        if free:
            parts.append("(partial_co_ & unordered)" if self.partial_co else "(co_ & unordered) + ~(unordered - co_)")
        return union(parts) or "none->none", self.groups.executed(union(free)) if free else ""

    def ordered(self) -> str | None:
        """The pairs of which an order of fences has one way or the other; None for a model that names none."""
        orders = [
            form
            for name in relations.RELATIONS
            if name in self.problem.named
            for form in self.problem.forms(name)
            if isinstance(form, Order)
        ]
        if not orders:
            return None
        body = union(f"{a}->{b}" for order in orders for a, b in order.pairs)
        return self.groups.executed(body) if body else "none->none"
