"""The memory question in SAT: reads-from, coherence and choices are the variables."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, assert_never

from scopec.engines.embedded.memory.circuit import FALSE, TRUE, Circuit
from scopec.engines.embedded.memory.given import Given
from scopec.engines.embedded.memory.lazy_closures import Relation, transitive
from scopec.engines.embedded.memory.relations import Matrices, Set, cyclic_part, entries, trimmed
from scopec.engines.embedded.memory.values import Bits, Values
from scopec.memory.events.events import Kind
from scopec.memory.events.guards import Guard
from scopec.memory.events.paths import All, Not, Paths, Some
from scopec.memory.given import sets
from scopec.memory.given.forms import Coherence, Sources
from scopec.memory.questions import Goal, Problem, Question
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scopec.engines.embedded.memory.circuit import Clauses
    from scopec.memory.cat import tree
    from scopec.memory.events.events import Event
    from scopec.program.observe import Location, Target
    from scopec.program.types import IntType


class Encoding:
    """A problem's executions as a circuit of ``clauses``, ``lazy`` as there; ``exact`` as in :class:`Matrices`."""

    def __init__(self, problem: Problem, clauses: Clauses, exact: frozenset[int] | None, *, lazy: bool) -> None:
        self.problem = problem
        self.base = problem.base
        self.graph = problem.base.graph
        self.circuit = Circuit(clauses, lazy=lazy)
        self.position = {e.id: i for i, e in enumerate(self.graph.events)}
        by_id = self.graph.by_id
        self.writes: dict[Location | None, list[Event]] = {
            by_id[form.writes[0]].location: [by_id[w] for w in form.writes]
            for form in problem.forms("co")
            if isinstance(form, Coherence)
        }
        self.sources = [form for form in problem.forms("rf") if isinstance(form, Sources)]
        self._finals: dict[Location, Bits] = {}
        self.rf = {(w, r): self.circuit.fresh() for form in self.sources for r in form.reads for w in form.writes}
        sources = {r: [(by_id[w], self.rf[w, r]) for w in form.writes] for form in self.sources for r in form.reads}
        self.values = Values(self.circuit, self.graph, problem.domains, sources)
        self.executed: Set = trimmed({i: self.values.guard(e.guard) for i, e in enumerate(self.graph.events)})
        self.co, self.unordered = self._coherence()
        self.last = self._last() if problem.model.partial_co else {}
        self.given = Given(self.circuit, self.position, self.values, self.executed, self.rf, self.co)
        self.orders: dict[str, dict[tuple[str, str], int]] = {}
        self.matrices = Matrices(
            self.circuit, problem.model, self.executed, self._given_set, self._given_relation, exact
        )
        self._constrain()

    # ---- what the engine chooses

    def _coherence(self) -> tuple[Relation, list[tuple[str, str, int]]]:
        """``co``, and its free pairs: one variable a pair, or one a direction where co may be partial."""
        both, fresh = self.circuit.both, self.circuit.fresh
        partial = self.problem.model.partial_co
        co: Relation = {}
        free: list[tuple[str, str, int]] = []

        def put(a: Event, b: Event, chosen: int) -> None:
            i, j = self.position[a.id], self.position[b.id]
            entry = both(chosen, both(self.executed.get(i, FALSE), self.executed.get(j, FALSE)))
            if entry != FALSE:
                co.setdefault(i, {})[j] = entry

        for initial, *rest in self.writes.values():
            for n, write in enumerate(rest):
                put(initial, write, TRUE)
                for other in rest[n + 1 :]:
                    if write.guard.excludes(other.guard):
                        continue
                    forth = fresh()
                    back = fresh() if partial else -forth
                    put(write, other, forth)
                    put(other, write, back)
                    free.append((write.id, other.id, forth))
                    if partial:
                        free.append((other.id, write.id, back))
        return co, free

    def _last(self) -> dict[Location, dict[str, int]]:
        """The write that a location holds at the end, where co is partial: one of the last."""
        out = {}
        for at, writes in self.writes.items():
            assert at is not None
            candidates = {w.id: self.circuit.fresh() for w in writes}
            self.circuit.exactly_one(candidates.values())
            for w in writes:
                i = self.position[w.id]
                self.circuit.require(-candidates[w.id], self.executed.get(i, FALSE))
                for later in self.co.get(i, {}).values():
                    self.circuit.require(-candidates[w.id], -later)
            out[at] = candidates
        return out

    def _constrain(self) -> None:
        """Every read has one source, coherence is an order, values are what the program computes, and the axioms."""
        circuit = self.circuit
        for form in self.sources:
            for read in form.reads:
                sources = [self.rf[w, read] for w in form.writes]
                circuit.exactly_one(sources, self.executed.get(self.position[read], FALSE))
                for w, source in zip(form.writes, sources, strict=True):
                    circuit.require(-source, self.executed.get(self.position[w], FALSE))
        circuit.require(self._valued(frozenset(self.values.circular) - self.problem.domains.open))
        transitive(self.circuit, self.co)
        for stuck, value in self.graph.impossible:
            circuit.require(-circuit.both(self.values.guard(stuck), self.values.condition(value)))
        for axiom in self.problem.model.axioms:
            circuit.require(-self.matrices.violated(axiom))

    def release(self) -> None:
        """Let go of everything, most of which refers to itself in circles: to find these takes longer."""
        self.circuit.release()
        vars(self).clear()

    def take_in_order(self, writes: Iterable[tuple[str, str]]) -> None:
        """Ask that the second write of each pair, if it is executed, comes after the first in coherence order."""
        for a, b in writes:
            i, j = self.position[a], self.position[b]
            self.circuit.require(-self.executed.get(j, FALSE), self.co.get(i, {}).get(j, FALSE))

    # ---- what the program gives

    def _given_set(self, name: str) -> Set:
        return self.given.set(sets.members(self.base, name))

    def _given_relation(self, name: str) -> Relation:
        return self._chosen_order(name) if name in self._chosen else self.given.relation(self.problem.forms(name))

    @cached_property
    def _chosen(self) -> Mapping[str, tree.Expr]:
        """The relations that an execution chooses, each with the pairs that it relates one way or the other."""
        return {order.name: order.expr for order in self.problem.model.orders}

    def _chosen_order(self, name: str) -> Relation:
        """One variable for both directions of a pair."""
        pairs = self.matrices.relation(self._chosen[name])
        names = [e.id for e in self.graph.events]
        order: Relation = {}
        chosen = self.orders[name] = {}
        for i, j, v in entries(pairs):
            if i < j:
                forth = self.circuit.fresh()
                for a, b, way, there in ((i, j, forth, v), (j, i, -forth, pairs.get(j, {}).get(i, FALSE))):
                    entry = self.circuit.both(way, there)
                    if entry != FALSE:
                        order.setdefault(a, {})[b] = chosen[names[a], names[b]] = entry
        return order

    # ---- questions

    def _valued(self, reads: frozenset[str]) -> int:
        """Each of some reads, if it is executed, returns a value of its domain."""
        circuit = self.circuit
        return circuit.all(
            circuit.either(
                -self.executed.get(self.position[name], FALSE), circuit.any(self.values.registers[name].values())
            )
            for name in sorted(reads)
        )

    @cached_property
    def complete(self) -> int:
        """Every loop has ended."""
        return self.circuit.all(-self.values.guard(cut.guard) for cut in self.graph.unfinished)

    def final(self, location: Location) -> Bits:
        """The value of a location at the end."""
        if location not in self._finals:
            parts: dict[int, list[int]] = {}
            for write in self.writes[location]:
                assert write.value is not None
                i = self.position[write.id]
                if location in self.last:
                    last = self.last[location][write.id]
                else:
                    last = self.circuit.all(
                        [self.executed.get(i, FALSE), *(-later for later in self.co.get(i, {}).values())]
                    )
                for v, bit in self.values.bits(write.value).items():
                    parts.setdefault(v, []).append(self.circuit.both(last, bit))
            self._finals[location] = {v: self.circuit.any(literals) for v, literals in parts.items()}
        return self._finals[location]

    def goal(self, question: Question) -> int:
        """The literal of what a question looks for."""
        goal = self._goal(question)
        if question.goal is Goal.OVERFLOW:
            return goal
        return self.circuit.both(goal, self._valued(frozenset(self.values.circular) & self.problem.domains.open))

    def _goal(self, question: Question) -> int:
        circuit = self.circuit
        match question.goal:
            case Goal.EXECUTION:
                return self.complete
            case Goal.PREFIX:
                return TRUE
            case Goal.RACE:
                return self._race(question.target)
            case Goal.OUTCOME | Goal.COUNTER_OUTCOME:
                assert question.formula is not None
                condition = self.graph.at_the_end(question.formula, self._memory)
                holds = FALSE if condition is None else self.values.condition(condition)
                return circuit.both(self.complete, holds if question.goal is Goal.OUTCOME else -holds)
            case Goal.ASSERTION | Goal.FAULT:
                fails = circuit.any(
                    circuit.both(self.values.guard(a.guard), -self.values.condition(a.condition))
                    for a in question.assertions
                )
                if question.goal is Goal.ASSERTION:
                    return circuit.both(self.complete, fails)
                early = (v for pair, v in self._races(None) if len(pair) == 1) if self.graph.phases else ()
                return circuit.any((fails, *early))
            case Goal.LEFT:
                assert question.paths is not None
                return self._paths(question.paths)
            case Goal.WEAK:
                return self._cycle()
            case Goal.LONGER:
                return circuit.any(self.values.guard(cut.guard) for cut in self.graph.cuts if not cut.wait)
            case Goal.OVERFLOW:
                return circuit.any(
                    circuit.both(
                        self.executed.get(self.position[e.id], FALSE), -circuit.any(self.values.bits(e.value).values())
                    )
                    for e in self.graph.events
                    if e.writes and e.value is not None and not isinstance(e.value, Const)
                )

    def _cycle(self) -> int:
        """The literal of a cycle in ``po | asw | rf | co | fr``: of events of which each is followed by one of them."""
        circuit = self.circuit
        rf, co = self._given_relation("rf"), self.co
        always = (self._given_relation(name) for name in ("po", "asw"))
        either = [*always, rf, co, self.matrices.from_reads(rf, co)]
        rows = cyclic_part(self.matrices.union(either))
        chosen = {i: circuit.fresh() for i in rows}
        for i, row in rows.items():
            circuit.require(-chosen[i], *(circuit.both(v, chosen[j]) for j, v in row.items()))
        return circuit.any(chosen.values())

    def _paths(self, paths: Paths) -> int:
        """The literal of a condition on the paths of threads."""
        match paths:
            case Guard():
                return self.values.guard(paths)
            case Not(operand):
                return -self._paths(operand)
            case All(parts):
                return self.circuit.all([self._paths(part) for part in parts])
            case Some(parts):
                return self.circuit.any([self._paths(part) for part in parts])
            case _:
                assert_never(paths)

    def _memory(self, location: Location, type_: IntType) -> Value:
        if location not in self.writes:
            initial = self.graph.program.objects[location.object].values[location.index]
            return Const(initial or 0, type_)
        name = f"final {self.graph.location_names[location]}"
        self.values.registers[name] = self.final(location)
        return Reg(name, type_)

    def _race(self, target: Target | None) -> int:
        if target is None:
            return self.circuit.any(-self.matrices.violated(flag) for flag in self.problem.model.flags)
        return self.circuit.any(v for _, v in self._races(target))

    def _races(self, target: Target | None) -> Iterator[tuple[frozenset[int], int]]:
        """The pairs that may race, with their literals."""
        here = {self.position[e.id] for e in self.graph.events if target is None or target.holds(e.location)}
        for race in self.problem.model.races:
            for i, j, v in entries(self.matrices.relation(race)):
                if i in here and j in here:
                    yield frozenset((i, j)), v

    def plainest_races(self, question: Question) -> Iterator[list[int]]:
        """If all of these, each some literals, are impossible, there is no race; used one by one.

        Each is the races of one event with those before it in the list of events, where no thread passes a wait after a
        turn in vain that can be taken away: a race with something else is one without that turn as well
        (:mod:`scopec.memory.unfold.spin_loops`).
        """
        circuit = self.circuit
        races: dict[int, list[int]] = {}
        racing: set[int] = set()
        for pair, v in self._races(question.target):
            races.setdefault(max(pair), []).append(v)
            racing |= pair
        first = sum(e.kind is Kind.INIT for e in self.graph.events)
        lingering = [
            self.values.guard(wait.again & wait.passed)
            for wait in self.graph.waits
            if wait.again is not None and racing.isdisjoint(range(first + wait.position, first + wait.end))
        ]
        for event, found in races.items():
            yield [circuit.use(a) for a in (*(-a for a in lingering), self.executed[event], circuit.any(found))]
