"""Executions: a counterexample of the memory question, with everything a reader needs derived from rf and co."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING

from scopec.base.diagnostics import ValuesError
from scopec.base.graphs import components
from scopec.base.records import dataclass
from scopec.memory.cat.evaluate import Evaluation, closure, compose, inverse, pairs, reflexive
from scopec.memory.events.events import Event, EventGraph, Kind, shown_location
from scopec.memory.events.guards import Guard
from scopec.memory.given.evaluated import Evaluated
from scopec.memory.given.forms import Order
from scopec.memory.given.relations import RELATIONS, forms
from scopec.memory.given.sets import SETS
from scopec.program.observe import FinalMemory, FinalRegister, lifetime_of
from scopec.program.types import ArithmeticFault
from scopec.program.values import Const, Value, evaluate, leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scopec.memory.cat.evaluate import Relation
    from scopec.memory.cat.model import Definition, Model
    from scopec.memory.choice import Choice
    from scopec.memory.events.base import Base
    from scopec.memory.given.forms import When
    from scopec.program.observe import Formula, Location, Target
    from scopec.program.types import IntType


#: Synchronises-with and happens-before as the models call them; PTX speaks of causality order.
_OTHER_NAMES = {"sw": ("sw", "sync"), "hb": ("hb", "cause")}


def _evaluated(value: Value, known: Mapping[str, int]) -> int | None:
    """A value where what it needs is known; a side of a choice that is not taken need not be.

    None also for arithmetic without a result, which no execution comes to: it is behind an assertion that fails.
    """
    try:
        return evaluate(value, lambda leaf: known[leaf.name])
    except (KeyError, ArithmeticFault):
        return None


@dataclass(frozen=True)
class Execution:
    """One execution of a graph under a model; ``strict`` as in :class:`Problem`."""

    base: Base
    model: Model
    choice: Choice
    strict: bool = False

    @property
    def graph(self) -> EventGraph:
        """The event graph that this is an execution of."""
        return self.base.graph

    @cached_property
    def values(self) -> Mapping[str, int]:
        """The value of each read (by id), and of each choice (by register).

        Raises ValuesError if reads-from gives some read no value, as a model may allow that says nothing of thin air.
        """
        source = {read: write for write, read in self.choice.rf}
        known: dict[str, int] = dict(self.choice.choices)
        writes = {e.id: e.value for e in self.graph.events if e.writes}
        progress = True
        while progress:
            progress = False
            for read, write in source.items():
                value = writes[write]
                if read in known or value is None:
                    continue
                computed = _evaluated(value, known)
                if computed is not None:
                    known[read] = computed
                    progress = True
                elif write in self.choice.written:
                    known[read] = self.choice.written[write]
                    progress = True
        if any(read not in known for read in source):
            raise ValuesError(
                "an execution was found in which values depend on themselves, and nothing says what they are: let the "
                "model forbid that, as with `acyclic data | rf`"
            )
        return known

    def value(self, value: Value) -> int | None:
        """The value of an expression over events, or None if it depends on an event that was not executed."""
        return _evaluated(value, self.values)

    @cached_property
    def outcomes(self) -> tuple[bool, ...]:
        """The outcome of each branch condition (false if it was not reached)."""
        return tuple(bool(self.value(c)) for c in self.graph.conditions)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The executed events, in the graph's order."""
        return tuple(e for e in self.graph.events if e.guard.holds(self.outcomes))

    @cached_property
    def evaluation(self) -> Evaluation:
        """The model's definitions on this execution; positions are those of :attr:`events`."""
        found = Evaluated(self.base, self.events, self.choice, self.holds)
        orders = zip(self.model.orders, self.choice.orders, strict=True)
        relations = {order.name: found.related(chosen) for order, chosen in orders}
        for name, row in RELATIONS.items():
            if not row.costly or name in self.model.mentioned:
                relations[name] = found.relation(name, strict=self.strict)
        sets = {name: found.set(name) for name in SETS if name in self.model.mentioned}
        return Evaluation(self.model, len(self.events), sets, relations)

    def holds(self, when: When) -> bool:
        """Whether a condition on paths or on what is read holds here."""
        match when:
            case None:
                return True
            case Guard():
                return when.holds(self.outcomes)
            case _:
                return bool(self.value(when))

    def relation(self, name: str) -> list[tuple[Event, Event]]:
        """The pairs of a given or defined relation."""
        return [(self.events[i], self.events[j]) for i, j in pairs(self.evaluation.relations[name])]

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Violations of consistency: none for every answer of a correct engine."""
        found = [f"axiom {axiom.name}" for axiom in self.model.axioms if not self.evaluation.holds(axiom)]
        executed = {e.id for e in self.events}
        for write, told in self.choice.written.items():
            value = self.graph.by_id[write].value
            if write in executed and value is not None and self.value(value) != told:
                found.append(f"{write} writes {told}, which is not what the program computes")
        by_id = self.graph.by_id
        for read in (e for e in self.events if e.kind is Kind.READ):
            sources = [w for w, r in self.choice.rf if r == read.id]
            if len(sources) != 1 or by_id[sources[0]].location != read.location or sources[0] not in executed:
                found.append(f"{read.id} reads from {sources}")
        for location in self.graph.locations:
            found += self._coherence_problems(location)
        for name in RELATIONS.keys() & self.model.mentioned:
            for form in forms(self.base, name):
                if isinstance(form, Order) and not self._is_order(form, self.evaluation.relations[name]):
                    found.append(f"{name} is not {RELATIONS[name].means}")
        for stuck, value in self.graph.impossible:
            if stuck.holds(self.outcomes) and self.value(value):
                found.append("a query, a vote or the phase of a barrier is one that there cannot be")
        return tuple(found)

    def _is_order(self, form: Order, order: Relation) -> bool:
        """Whether an order has no cycle, and relates each of its pairs that are executed and no other event."""
        at = {e.id: i for i, e in enumerate(self.events)}
        related = [(at[a], at[b]) for a, b in form.pairs if a in at and b in at]
        ends = {i for pair in related for i in pair}
        whole = all(order[i] >> j & 1 or order[j] >> i & 1 for i, j in related)
        return whole and not reflexive(order) and all({i, j} <= ends for i, j in pairs(order))

    def _coherence_problems(self, location: Location) -> list[str]:
        """Violations of coherence: co is an order of the writes to a location, the initial one first, total if it has
        to be.
        """
        writes = [e.id for e in self.events if e.location == location and e.writes]
        ordered = {(a, b) for a, b in self.choice.co if a in writes and b in writes}
        both = [(a, b) for a in writes for b in writes if (a, b) in ordered and (a == b or (b, a) in ordered)]
        total = all((a, b) in ordered or (b, a) in ordered for a in writes for b in writes if a != b)
        transitive = all((a, d) in ordered for a, b in ordered for c, d in ordered if b == c)
        initial_first = all((writes[0], later) in ordered for later in writes[1:])
        found = []
        if both or not transitive or not initial_first or not (total or self.model.partial_co):
            kind = "an" if self.model.partial_co else "a total"
            found.append(f"co of {location.object} is not {kind} order")
        last = self.choice.last.get(location)
        if last is not None and (last not in writes or any(a == last for a, _ in ordered)):
            found.append(f"{last} is not a last write to {location.object}")
        return found

    @cached_property
    def undecided(self) -> tuple[tuple[str, str], ...]:
        """The pairs of a read and an event of which it is not decided that the event does not depend on the read.

        Only those without which the model would not allow this execution, and none if it allows it anyway.
        """
        if self.strict or "dep" not in self.model.mentioned or not self.base.real.undecided:
            return ()
        executed = {e.id for e in self.events}
        pairs = [pair for pair in self.base.real.undecided if executed.issuperset(pair)]
        strict = replace(self, strict=True).evaluation
        if self.model.dep_only_forbids and all(strict.holds(axiom) for axiom in self.model.axioms):
            return ()
        after: dict[str, list[str]] = defaultdict(list)
        for a, b in (*self.choice.rf, *self.base.real.pairs, *self.base.real.undecided):
            if a in executed and b in executed:
                after[a].append(b)
        groups = components(list(after), lambda event: after.get(event, ()))
        component = {event: number for number, group in enumerate(groups) for event in group}
        return tuple(p for p in pairs if component[p[0]] == component[p[1]]) or tuple(pairs)

    @property
    def complete(self) -> bool:
        """Whether every loop ended."""
        return not any(cut.guard.holds(self.outcomes) for cut in self.graph.unfinished)

    @property
    def sequentially_consistent(self) -> bool:
        """Whether it has no cycle in ``po | asw | rf | co | fr``: some interleaving of its threads' steps gives it."""
        given = self.evaluation.relations
        parts = [given["po"], given["asw"], given["rf"], given["co"], compose(inverse(given["rf"]), given["co"])]
        return not reflexive(closure(tuple(reduce(or_, rows) for rows in zip(*parts, strict=True))))

    @property
    def race(self) -> list[tuple[Event, Event]]:
        """The pairs that the model's flags report, each once, in the graph's order."""
        found = {(min(p), max(p)) for expr in self.model.races for p in pairs(self.evaluation.relation(expr))}
        return [(self.events[i], self.events[j]) for i, j in sorted(found)]

    @property
    def overruns(self) -> list[Event]:
        """Arrivals at mbarriers that come too early, of which a flag reports a pair with themselves."""
        return [a for a, b in self.race if a is b]

    @property
    def flagged(self) -> bool:
        """Whether a flag of the model holds: the execution has a race, or is undefined in another way."""
        return any(self.evaluation.holds(flag) for flag in self.model.flags)

    def racing_pair(self, target: Target | None = None) -> tuple[Event, Event] | None:
        """The race to show: on ``target`` if given, and one between atomics if there is one, which scopes explain."""
        pairs = [p for p in self.race if target is None or target.holds(p[0].location)]
        return next(iter([p for p in pairs if p[0].atomic and p[1].atomic] or pairs), None)

    def shown_race(self, pair: tuple[Event, Event]) -> str:
        """``a data race on `x` ``; of an arrival alone, which models say as a pair of it with itself, what that is."""
        assert pair[0].location is not None
        if pair[0] is pair[1]:
            name = shown_location(pair[0].location, self.graph.program)
            return f"an arrival at `{name}` for which no wait has found the phase before over"
        if (of := lifetime_of(pair[0].location)) is not None:
            return f"a data race on the {pair[0].location.object.removesuffix(of)}`{of}`"
        return f"a data race on `{shown_location(pair[0].location, self.graph.program)}`"

    def derived(self, name: str) -> list[tuple[Event, Event]] | None:
        """The pairs of ``sw`` or ``hb``, whatever the model calls them, or of another relation; None if it has none."""
        if name in RELATIONS:
            return self.relation(name)
        order = self.defined_as(name)
        return None if order is None else self.relation(order.name)

    def defined_as(self, name: str) -> Definition | None:
        """The definition that counts of ``sw`` or ``hb``, whatever the model calls them, or of another name."""
        found = (self.model.latest(n) for n in _OTHER_NAMES.get(name, (name,)))
        return next((definition for definition in found if definition is not None), None)

    @cached_property
    def synchronisation(self) -> frozenset[tuple[Event, Event]]:
        """The pairs of synchronises-with (empty where the model has no such notion)."""
        return frozenset(self.derived("sw") or ())

    def final_memory(self) -> Mapping[Location, int]:
        """The value of each location at the end: that of the write that is last in coherence order.

        Where a partial co leaves several, it is that of the one chosen, or else of the first in the program.
        """
        found: dict[Location, int] = {}
        followed = {a for a, b in self.choice.co if b in {e.id for e in self.events}}
        for event in self.events:
            if event.writes and event.location is not None and event.value is not None:
                chosen = self.choice.last.get(event.location, event.id) == event.id
                value = self.value(event.value)
                if event.id not in followed and chosen and event.location not in found and value is not None:
                    found[event.location] = value
        return found

    def _memory(self) -> Callable[[Location, IntType], Value]:
        final = self.final_memory()

        def memory(location: Location, type_: IntType) -> Value:
            initial = self.graph.program.objects[location.object].values[location.index]
            return Const(final.get(location, initial or 0), type_)

        return memory

    def observe(self, formula: Formula) -> bool | None:
        """Whether a condition holds in the final state; None if it needs what has no value, which would be a bug."""
        condition = self.graph.at_the_end(formula, self._memory())
        value = None if condition is None else self.value(condition)
        return None if value is None else bool(value)

    def observed(self, formula: Formula) -> Mapping[str, int | None]:
        """The final values of what a condition names; None for a local that was not declared on the path taken."""
        memory = self._memory()
        found: dict[str, int | None] = {}
        for leaf in leaves(formula.value):
            match formula.observed[leaf.name]:
                case FinalMemory(location):
                    found[leaf.name] = self.value(self.graph.finally_(location, leaf.type, memory))
                case FinalRegister(thread, register):
                    final = self.graph.finals.get((thread, register))
                    defined = final is not None and self.value(final.defined)
                    found[leaf.name] = self.value(final.value) if final is not None and defined else None
        return found
