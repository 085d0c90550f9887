"""The given sets and relations on one execution: sets as bit masks over its events, relations a mask a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from scopec.memory.cat.evaluate import Relation, Set, closure, pairs, relation
from scopec.memory.given import relations, sets
from scopec.memory.given.forms import (
    Closure,
    Coherence,
    Except,
    Form,
    Group,
    Identity,
    Order,
    Pair,
    Product,
    Same,
    Sources,
    Square,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scopec.memory.choice import Choice
    from scopec.memory.events.base import Base
    from scopec.memory.events.events import Event
    from scopec.memory.given.forms import When


class Evaluated:
    """The given sets and relations of an execution of ``events``; ``holds`` says where something holds in it."""

    def __init__(self, base: Base, events: Sequence[Event], choice: Choice, holds: Callable[[When], bool]) -> None:
        self.base = base
        self.choice = choice
        self.holds = holds
        self.at = {e.id: i for i, e in enumerate(events)}
        self.all = (1 << len(events)) - 1

    def set(self, name: str) -> Set:
        """A given set."""
        found = 0
        for part in sets.members(self.base, name):
            if self.holds(part.when):
                found |= self._mask(part.events)
        return found

    def relation(self, name: str, *, strict: bool = False) -> Relation:
        """A given relation; ``strict`` as in :class:`scopec.memory.questions.Problem`."""
        return self._union(relations.forms(self.base, name, strict=strict))

    def _union(self, forms: Iterable[Form]) -> Relation:
        rows = [0] * len(self.at)
        for form in forms:
            for i, row in self._rows(form):
                rows[i] |= row
        return tuple(rows)

    def _mask(self, events: Group) -> int:
        return sum(1 << self.at[e] for e in events if e in self.at)

    def _rows(self, form: Form) -> Iterable[tuple[int, int]]:
        """The relation as a mask of the others for each event."""
        at = self.at
        match form:
            case Pair(before, after, when):
                return self._rows(Product((before,), (after,), when))
            case Product(before, after, when):
                row = self._mask(after) if self.holds(when) else 0
                return [(at[e], row) for e in before if e in at]
            case Square(events):
                return self._rows(Product(events, events))
            case Identity(events):
                return [(at[e], 1 << at[e]) for e in events if e in at]
            case Same():
                return [(i, 1 << i) for i in at.values()]
            case Closure(steps):
                return enumerate(self._closed(steps))
            case Except(forms):
                return [(i, self.all & ~row) for i, row in enumerate(self._union(forms))]
            case Sources():
                return self._chosen(self.choice.rf, form.reads)
            case Coherence():
                return self._chosen(self.choice.co, form.writes)
            case Order():
                return enumerate(closure(self.related(self.choice.sync_fence)))
            case _:
                assert_never(form)

    def _chosen(self, chosen: Iterable[tuple[str, str]], after: Group) -> Iterable[tuple[int, int]]:
        here = frozenset(after)
        return enumerate(self.related((a, b) for a, b in chosen if b in here))

    def related(self, chosen: Iterable[tuple[str, str]]) -> Relation:
        """The pairs of a relation that are executed."""
        at = self.at
        return relation(len(at), ((at[a], at[b]) for a, b in chosen if a in at and b in at))

    def _closed(self, steps: Sequence[tuple[str, str]]) -> Relation:
        """Through what is not executed too: so it is closed over the events that there could be."""
        number = {e: i for i, e in enumerate(dict.fromkeys(e for step in steps for e in step))}
        names = list(number)
        closed = closure(relation(len(number), ((number[a], number[b]) for a, b in steps)))
        return self.related((names[i], names[j]) for i, j in pairs(closed))
