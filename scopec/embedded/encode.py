"""The memory question in SAT: reads-from, coherence and choices are the variables."""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.embedded.circuit import FALSE, TRUE, Circuit
from scopec.embedded.relations import Matrices, Relation, Set, entries, reach, trimmed
from scopec.graphs import components
from scopec.memory.base import PLACES
from scopec.memory.events import Event, Kind
from scopec.memory.questions import Goal, Problem, Question
from scopec.program.types import ArithmeticFault
from scopec.program.values import Binary, Choose, Const, Convert, Reg, Unary, Value, evaluate, leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scopec.expectations import Location
    from scopec.memory.events import Synchronises
    from scopec.memory.guards import Guard
    from scopec.program.types import IntType

#: For each value the literal of: the expression has it.
Bits = dict[int, int]


class Encoding:
    """A problem's executions as a circuit; ``exact`` as in :class:`Matrices`."""

    def __init__(self, problem: Problem, exact: frozenset[int] = frozenset()) -> None:
        self.problem = problem
        self.base = problem.base
        self.graph = problem.base.graph
        self.domains = problem.domains
        self.circuit = Circuit()
        self.position = {e.id: i for i, e in enumerate(self.graph.events)}
        self.writes: dict[Location, list[Event]] = {}
        self.reads: dict[Location, list[Event]] = {}
        for event in self.graph.events:
            if event.location is not None and event.is_access:
                (self.writes if event.writes else self.reads).setdefault(event.location, []).append(event)
        self.registers: dict[str, Bits] = {}
        #: Reads whose values may depend on themselves.
        self.circular: list[str] = []
        self._guards: dict[int, int] = {}
        self._conditions: dict[int, int] = {}
        self._values: dict[Value, Bits] = {}
        self._finals: dict[Location, Bits] = {}
        for name, values in self.graph.choices.items():
            self.registers[name] = self._one_of(values, TRUE)
        self.rf = {
            (write.id, read.id): self.circuit.fresh()
            for at, reads in self.reads.items()
            for read in reads
            for write in self.writes[at]
        }
        self._read_values()
        self.executed: Set = trimmed({i: self.guard(e.guard) for i, e in enumerate(self.graph.events)})
        self.co, self.unordered = self._coherence()
        self.last = self._last() if problem.model.partial_co else {}
        self.sync_fence: dict[tuple[str, str], int] = {}
        self.matrices = Matrices(
            self.circuit, problem.model, self.executed, self._given_set, self._given_relation, exact
        )
        self._constrain()

    # ---- values

    def _one_of(self, values: Iterable[int], when: int) -> Bits:
        bits = {v: self.circuit.fresh() for v in values}
        self.circuit.exactly_one(bits.values(), when)
        return bits

    def _read_values(self) -> None:
        """Reads in the order in which values travel; where they may travel in circles, a read's value is free."""
        by_id = self.graph.by_id
        computed_from = {
            read.id: [
                leaf.name
                for w in self.writes[at]
                if w.value is not None
                for leaf in leaves(w.value)
                if leaf.name in by_id
            ]
            for at, reads in self.reads.items()
            for read in reads
        }
        circular = self.circular
        for group in reversed(components(computed_from, lambda r: computed_from[r])):
            if len(group) > 1 or group[0] in computed_from[group[0]]:
                for read in group:
                    self.registers[read] = {v: self.circuit.fresh() for v in self.domains.of[read]}
                circular += group
            else:
                self.registers[group[0]] = self._returned(by_id[group[0]])
        for read in circular:
            bits, returned = self.registers[read], self._returned(by_id[read])
            self.circuit.at_most_one(bits.values())
            for v, mine in bits.items():  # a value beyond the domain is none, and shows as an overflow
                found = returned.get(v, FALSE)
                self.circuit.require(-found, mine)
                self.circuit.require(-mine, found)

    def _returned(self, read: Event) -> Bits:
        """The value of whichever write the read reads from."""
        assert read.location is not None
        parts: dict[int, list[int]] = {}
        for write in self.writes[read.location]:
            assert write.value is not None
            source = self.rf[write.id, read.id]
            for v, bit in self.bits(write.value).items():
                parts.setdefault(v, []).append(self.circuit.both(source, bit))
        return {v: self.circuit.any(literals) for v, literals in parts.items()}

    def bits(self, value: Value) -> Bits:
        """For each value of an expression when it has it; never where a read that it needs is not executed."""
        known = self._values.get(value)
        if known is None:
            known = self._values[value] = trimmed(self._bits(value))
        return known

    def _bits(self, value: Value) -> Bits:
        circuit = self.circuit
        match value:
            case Const(number, _):
                return {number: TRUE}
            case Reg(name, _):
                return self.registers[name]
            case Choose(condition, then, otherwise, _):
                test = self.condition(condition)
                out: dict[int, list[int]] = {}
                for side, bits in ((test, self.bits(then)), (-test, self.bits(otherwise))):
                    for v, bit in bits.items():
                        out.setdefault(v, []).append(circuit.both(side, bit))
                return {v: circuit.any(parts) for v, parts in out.items()}
            case _ if value.type.is_bool:
                test = self.condition(value)
                return {1: test, 0: -test}
            case Binary(op, left, right, type_):
                return self._table(
                    lambda a, b: Binary(op, Const(a, left.type), Const(b, right.type), type_), left, right
                )
            case Unary(op, operand, type_):
                return self._table(lambda a: Unary(op, Const(a, operand.type), type_), operand)
            case Convert(operand, type_):
                return self._table(lambda a: Convert(Const(a, operand.type), type_), operand)
            case _:
                raise AssertionError(value)

    def _table(self, make: Callable[..., Value], *operands: Value) -> Bits:
        """A function of values, row by row; rows for which C++ defines no result are left out."""
        parts: dict[int, list[int]] = {}
        for row in itertools.product(*(self.bits(o).items() for o in operands)):
            here = self.circuit.all(bit for _, bit in row)
            if here == FALSE:
                continue
            try:
                result = evaluate(make(*(v for v, _ in row)), _no_leaves)
            except ArithmeticFault:
                continue
            parts.setdefault(result, []).append(here)
        return {v: self.circuit.any(literals) for v, literals in parts.items()}

    def condition(self, value: Value) -> int:
        """The literal of a condition; false where a read that it needs is not executed."""
        circuit = self.circuit
        match value:
            case Const(number, _):
                return TRUE if number else FALSE
            case Unary("!", operand, _):
                return -self.condition(operand)
            case Binary("&&", left, right, _):
                return circuit.both(self.condition(left), self.condition(right))
            case Binary("||", left, right, _):
                return circuit.either(self.condition(left), self.condition(right))
            case Choose(test, then, otherwise, type_) if type_.is_bool:
                return circuit.choose(self.condition(test), self.condition(then), self.condition(otherwise))
            case Convert(operand, _):
                return self.condition(Binary("!=", operand, Const(0, operand.type), value.type))
            case Reg():
                return circuit.any(bit for v, bit in self.bits(value).items() if v)
            case Binary(op, left, right, type_):
                table = self._table(
                    lambda a, b: Binary(op, Const(a, left.type), Const(b, right.type), type_), left, right
                )
                return table.get(1, FALSE)
            case _:
                raise AssertionError(value)

    def guard(self, guard: Guard) -> int:
        """The literal of a path condition."""
        if guard.always or guard.never:
            return TRUE if guard.always else FALSE
        known = self._guards.get(guard.node)
        if known is None:
            number, low, high = guard.branch
            if number not in self._conditions:
                self._conditions[number] = self.condition(self.graph.conditions[number])
            known = self.circuit.choose(self._conditions[number], self.guard(high), self.guard(low))
            self._guards[guard.node] = known
        return known

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
        if self.domains.closed:
            for name in self.circular:
                circuit.require(-self.executed.get(self.position[name], FALSE), *self.registers[name].values())
        self._order(self.co)
        for stuck, value in self.graph.impossible:
            circuit.require(-circuit.both(self.guard(stuck), self.condition(value)))
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
            out[i] = here if guard is None else self.circuit.both(here, self.guard(guard))
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
                    (i, j) for thread in self._threads for n, i in enumerate(thread) for j in thread[n + 1 :]
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
                return self._pairs((at[a], at[b]) for a, b in self.base.dependencies[name])

    def _additional(self, edges: Iterable[Synchronises]) -> Relation:
        out: Relation = {}
        for edge in edges:
            when = TRUE if edge.when is None else self.condition(edge.when)
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

    @cached_property
    def complete(self) -> int:
        """Every loop has ended."""
        return self.circuit.all(-self.guard(cut.guard) for cut in self.graph.cuts)

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
                for v, bit in self.bits(write.value).items():
                    parts.setdefault(v, []).append(self.circuit.both(last, bit))
            self._finals[location] = {v: self.circuit.any(literals) for v, literals in parts.items()}
        return self._finals[location]

    def goal(self, question: Question) -> int:
        """The literal of what a question looks for."""
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
                holds = FALSE if condition is None else self.condition(condition)
                return circuit.both(self.complete, holds if question.goal is Goal.OUTCOME else -holds)
            case Goal.ASSERTION:
                fails = (circuit.both(self.guard(a.guard), -self.condition(a.condition)) for a in question.assertions)
                return circuit.both(self.complete, circuit.any(fails))
            case Goal.LONGER:
                return circuit.any(self.guard(cut.guard) for cut in self.graph.cuts if not cut.wait)
            case Goal.OVERFLOW:
                return circuit.any(
                    circuit.both(
                        self.executed.get(self.position[e.id], FALSE), -circuit.any(self.bits(e.value).values())
                    )
                    for e in self.graph.events
                    if e.writes and e.value is not None and not isinstance(e.value, Const)
                )

    def _memory(self, location: Location, type_: IntType) -> Value:
        if location not in self.writes:
            initial = self.graph.program.objects[location.object].values[location.index]
            return Const(initial or 0, type_)
        name = f"final {location.object} {location.index}"
        self.registers[name] = self.final(location)
        return Reg(name, type_)

    def _race(self, target: str | None) -> int:
        model = self.problem.model
        if target is None:
            return self.circuit.any(-self.matrices.violated(flag) for flag in model.flags)
        here = {
            self.position[e.id] for e in self.graph.events if e.location is not None and e.location.object == target
        }
        return self.circuit.any(
            v for race in model.races for i, j, v in entries(self.matrices.relation(race)) if i in here and j in here
        )


def _no_leaves(leaf: object) -> int:
    raise AssertionError(leaf)
