"""The memory question in SAT: reads-from, coherence and choices are the variables."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, assert_never

from scopec.embedded.circuit import FALSE, TRUE, Circuit
from scopec.embedded.relations import Matrices, Relation, Set, entries, reach, trimmed
from scopec.embedded.values import Bits, Values
from scopec.memory.base import PLACES
from scopec.memory.events import Event, Kind, unsequenced
from scopec.memory.guards import Guard
from scopec.memory.paths import All, Not, Paths, Some
from scopec.memory.questions import Goal, Problem, Question
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scopec.expectations import Location, Target
    from scopec.memory.events import Synchronises
    from scopec.program.types import IntType


class Encoding:
    """A problem's executions as a circuit; ``exact`` as in :class:`Matrices`, ``deadline`` as in :class:`Circuit`."""

    def __init__(self, problem: Problem, exact: frozenset[int] = frozenset(), deadline: float | None = None) -> None:
        self.problem = problem
        self.base = problem.base
        self.graph = problem.base.graph
        self.circuit = Circuit(deadline)
        self.position = {e.id: i for i, e in enumerate(self.graph.events)}
        self.writes: dict[Location, list[Event]] = {}
        self.reads: dict[Location, list[Event]] = {}
        for event in self.graph.events:
            if event.location is not None and event.is_access:
                (self.writes if event.writes else self.reads).setdefault(event.location, []).append(event)
        self._finals: dict[Location, Bits] = {}
        self.rf = {
            (write.id, read.id): self.circuit.fresh()
            for at, reads in self.reads.items()
            for read in reads
            for write in self.writes[at]
        }
        sources = {
            read.id: [(write, self.rf[write.id, read.id]) for write in self.writes[at]]
            for at, reads in self.reads.items()
            for read in reads
        }
        self.values = Values(self.circuit, self.graph, problem.domains, sources)
        self.executed: Set = trimmed({i: self.values.guard(e.guard) for i, e in enumerate(self.graph.events)})
        self.co, self.unordered = self._coherence()
        self.last = self._last() if problem.model.partial_co else {}
        self.sync_fence: dict[tuple[str, str], int] = {}
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
        """Where co is partial: the write that a location holds at the end, one of the last."""
        out = {}
        for at, writes in self.writes.items():
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
        for at, reads in self.reads.items():
            for read in reads:
                sources = [self.rf[w.id, read.id] for w in self.writes[at]]
                circuit.exactly_one(sources, self.executed.get(self.position[read.id], FALSE))
                for w, source in zip(self.writes[at], sources, strict=True):
                    circuit.require(-source, self.executed.get(self.position[w.id], FALSE))
        circuit.require(self._valued(frozenset(self.values.circular) - self.problem.domains.open))
        self._order(self.co)
        for stuck, value in self.graph.impossible:
            circuit.require(-circuit.both(self.values.guard(stuck), self.values.condition(value)))
        for axiom in self.problem.model.axioms:
            circuit.require(-self.matrices.violated(axiom))

    def _order(self, rows: Relation) -> None:
        """Transitive and, where both directions are free, one of them at most."""
        for i, row in rows.items():
            for j, v in row.items():
                if i in rows.get(j, {}) and i < j:
                    self.circuit.require(-v, -rows[j][i])
                for k, w in rows.get(j, {}).items():
                    if k != i:
                        self.circuit.require(-v, -w, row.get(k, FALSE))

    def take_in_order(self, writes: Iterable[tuple[str, str]]) -> None:
        """Ask that the first write of each pair comes before the second in coherence order."""
        for a, b in writes:
            self.circuit.require(self.co[self.position[a]][self.position[b]])

    # ---- what the program gives

    def _given_set(self, name: str) -> Set:
        out: Set = {}
        for event, guard in self.base.members.get(name, ()):
            i = self.position[event]
            here = self.executed.get(i, FALSE)
            if guard is not None:  # a compare-exchange may be a member by its one order, by the other, or by both
                here = self.circuit.either(out.get(i, FALSE), self.circuit.both(here, self.values.guard(guard)))
            out[i] = here
        return trimmed(out)

    def _pairs(self, given: Iterable[tuple[int, int]], when: int = TRUE) -> Relation:
        both, executed = self.circuit.both, self.executed
        out: Relation = {}
        for i, j in given:
            entry = both(both(executed.get(i, FALSE), executed.get(j, FALSE)), when)
            if entry != FALSE:
                row = out.setdefault(i, {})
                row[j] = self.circuit.either(row[j], entry) if j in row else entry
        return out

    @cached_property
    def _threads(self) -> list[list[int]]:
        """The positions of each thread's events; each initial write is a thread of its own."""
        found: dict[str, list[int]] = {}
        for i, event in enumerate(self.graph.events):
            found.setdefault(event.thread or event.id, []).append(i)
        return list(found.values())

    def _given_relation(self, name: str) -> Relation:
        at = self.position
        match name:
            case "po":
                return self._pairs(
                    (i, j)
                    for thread in self._threads
                    for n, i in enumerate(thread)
                    for j in thread[n + 1 :]
                    if not unsequenced(self.graph.events[i], self.graph.events[j])
                )
            case "int":
                return self._pairs((i, j) for thread in self._threads for i in thread for j in thread)
            case "ext":
                return self._pairs(
                    (i, j) for a in self._threads for b in self._threads if a is not b for i in a for j in b
                )
            case "loc":
                return self._pairs(
                    (at[a.id], at[b.id])
                    for location in self.writes
                    for accesses in ([*self.writes[location], *self.reads.get(location, [])],)
                    for a in accesses
                    for b in accesses
                )
            case "rf":
                rf: Relation = {}
                for (write, read), chosen in self.rf.items():
                    rf.setdefault(at[write], {})[at[read]] = chosen
                return rf
            case "co":
                return self.co
            case "rmw":
                return self._pairs(
                    (at[e.id], at[e.rmw]) for e in self.graph.events if e.kind is Kind.READ and e.rmw is not None
                )
            case "asw":
                return self._additional(self.graph.asw)
            case "issue":
                return self._additional(self.graph.issue)
            case "syncbar":
                return self._additional(edge for edge in self.graph.asw if edge.barrier)
            case "scta" | "scluster" | "sgpu":
                groups = self.base.together(PLACES[name])
                return self._pairs((at[a], at[b]) for ids in groups for a in ids for b in ids)
            case "incl":
                return self._pairs((at[a], at[b]) for x, y in self.base.inclusion for a in x for b in y)
            case "sync_fence":
                return self._fence_order()
            case _:
                return self._given(self.problem.pairs(name).items())

    def _given(self, pairs: Iterable[tuple[tuple[str, str], Value | None]]) -> Relation:
        """A relation of which each pair is one where its condition holds."""
        out: Relation = {}
        for (a, b), when in pairs:
            i, j = self.position[a], self.position[b]
            for _, _, entry in entries(self._pairs([(i, j)], TRUE if when is None else self.values.condition(when))):
                out.setdefault(i, {})[j] = entry
        return out

    def _additional(self, edges: Iterable[Synchronises]) -> Relation:
        out: Relation = {}
        for edge in edges:
            when = TRUE if edge.when is None else self.values.condition(edge.when)
            part = self._pairs(((self.position[a], self.position[b]) for a in edge.before for b in edge.after), when)
            for i, j, v in entries(part):
                row = out.setdefault(i, {})
                row[j] = self.circuit.either(row[j], v) if j in row else v
        return out

    def _fence_order(self) -> Relation:
        """An order of the fences in which each pair that includes each other is related, one way or the other."""
        fences = sorted({self.position[f] for pair in self.base.fence_pairs for f in pair})
        pairs = {(self.position[a], self.position[b]) for a, b in self.base.fence_pairs}
        possible = reach({i: {j for j in fences if (i, j) in pairs} for i in fences})
        fresh, both = self.circuit.fresh, self.circuit.both
        order: Relation = {i: {j: fresh() for j in sorted(ends) if j != i} for i, ends in possible.items()}
        names = [e.id for e in self.graph.events]
        for i, j, v in entries(order):
            here = both(self.executed.get(i, FALSE), self.executed.get(j, FALSE))
            self.circuit.require(-v, here)
            if (i, j) in pairs and i < j:
                self.circuit.require(-here, v, order[j][i])
            self.sync_fence[names[i], names[j]] = v
        self._order(order)
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
        return self.circuit.all(-self.values.guard(cut.guard) for cut in self.graph.cuts)

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
                return fails if question.goal is Goal.FAULT else circuit.both(self.complete, fails)
            case Goal.LEFT:
                assert question.paths is not None
                return self._paths(question.paths)
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
        model = self.problem.model
        if target is None:
            return self.circuit.any(-self.matrices.violated(flag) for flag in model.flags)
        here = {self.position[e.id] for e in self.graph.events if target.holds(e.location)}
        return self.circuit.any(
            v for race in model.races for i, j, v in entries(self.matrices.relation(race)) if i in here and j in here
        )
