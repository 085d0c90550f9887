"""The given sets and relations of a program as matrices of literals."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, assert_never

from scopec.engines.embedded.memory.circuit import FALSE, TRUE
from scopec.engines.embedded.memory.lazy_closures import reach, transitive
from scopec.engines.embedded.memory.relations import entries, trimmed
from scopec.memory.events.guards import Guard
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
    from collections.abc import Iterable, Iterator, Mapping

    from scopec.engines.embedded.memory.circuit import Circuit
    from scopec.engines.embedded.memory.lazy_closures import Relation
    from scopec.engines.embedded.memory.relations import Set
    from scopec.engines.embedded.memory.values import Values
    from scopec.memory.given.forms import Fixed, Form, Members, When


class Given:
    """Translates forms over the events whose positions ``at`` gives; ``rf`` and ``co`` are what was chosen."""

    def __init__(
        self,
        circuit: Circuit,
        at: Mapping[str, int],
        values: Values,
        executed: Set,
        rf: Mapping[tuple[str, str], int],
        co: Relation,
    ) -> None:
        self.circuit = circuit
        self.at = at
        self.names = list(at)
        self.values = values
        self.executed = executed
        self.rf = rf
        self.co = co
        #: The orders that were chosen, by their pairs: a literal for each two events that may be related.
        self.orders: dict[Order, dict[tuple[str, str], int]] = {}

    def set(self, members: Iterable[Members]) -> Set:
        """A set of executed events."""
        out: Set = {}
        for part in members:
            when = self._when(part.when)
            for i in map(self.at.__getitem__, part.events):
                here = self.circuit.both(self.executed.get(i, FALSE), when)
                out[i] = self.circuit.either(out[i], here) if i in out else here
        return trimmed(dict(sorted(out.items())))

    def relation(self, forms: Iterable[Form]) -> Relation:
        """A relation of executed events."""
        out: Relation = {}
        for form in forms:
            for i, j, entry in self._entries(form):
                row = out.setdefault(i, {})
                row[j] = self.circuit.either(row[j], entry) if j in row else entry
        return out

    def _entries(self, form: Form) -> Iterable[tuple[int, int, int]]:
        at = self.at
        match form:
            case Sources(writes, reads):
                return ((at[w], at[r], self.rf[w, r]) for r in reads for w in writes)
            case Coherence(writes):
                return ((at[w], j, v) for w in writes for j, v in self.co.get(at[w], {}).items())
            case Order():
                return entries(self._order(form))
            case Pair(when=when) | Product(when=when):
                return self._executed(self._pairs(form), self._when(when))
            case _:
                return self._executed(self._pairs(form))

    def _when(self, when: When) -> int:
        match when:
            case None:
                return TRUE
            case Guard():
                return self.values.guard(when)
            case _:
                return self.values.condition(when)

    def _executed(self, pairs: Iterable[tuple[int, int]], when: int = TRUE) -> Iterator[tuple[int, int, int]]:
        both, executed = self.circuit.both, self.executed
        for i, j in pairs:
            entry = both(both(executed.get(i, FALSE), executed.get(j, FALSE)), when)
            if entry != FALSE:
                yield i, j, entry

    def _pairs(self, form: Fixed) -> Iterable[tuple[int, int]]:
        """The pairs of events, executed or not."""
        at = self.at
        match form:
            case Pair(before, after, _):
                return [(at[before], at[after])]
            case Product(before, after, _):
                return product([at[e] for e in before], [at[e] for e in after])
            case Square(events):
                return self._pairs(Product(events, events))
            case Identity(events):
                return ((at[e], at[e]) for e in events)
            case Same():
                return ((i, i) for i in range(len(at)))
            case Closure(steps):
                following: dict[int, set[int]] = {}
                for a, b in steps:
                    following.setdefault(at[a], set()).add(at[b])
                    following.setdefault(at[b], set())
                return ((i, j) for i, ends in reach(following).items() for j in ends)
            case Except(forms):
                taken = {pair for part in forms for pair in self._pairs(part)}
                return ((i, j) for i in at.values() for j in at.values() if (i, j) not in taken)
            case _:
                assert_never(form)

    def _order(self, form: Order) -> Relation:
        """Transitive, without cycles, and each of the pairs that are executed is related one way or the other."""
        pairs = {(self.at[a], self.at[b]) for a, b in form.pairs}
        ends = sorted({i for pair in pairs for i in pair})
        possible = reach({i: {j for j in ends if (i, j) in pairs} for i in ends})
        fresh, both = self.circuit.fresh, self.circuit.both
        order: Relation = {i: {j: fresh() for j in sorted(row) if j != i} for i, row in possible.items()}
        for i, j, v in entries(order):
            here = both(self.executed.get(i, FALSE), self.executed.get(j, FALSE))
            self.circuit.require(-v, here)
            if (i, j) in pairs and i < j:
                self.circuit.require(-here, v, order[j][i])
        transitive(self.circuit, order)
        self.orders[form] = {(self.names[i], self.names[j]): v for i, j, v in entries(order)}
        return order
