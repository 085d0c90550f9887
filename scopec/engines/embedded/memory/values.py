"""The values of a program's expressions as literals: for each value, when an expression has it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.graphs import components
from scopec.engines.embedded.memory.circuit import FALSE, TRUE, Circuit
from scopec.engines.embedded.memory.relations import trimmed
from scopec.memory.domains.domains import circular_reads
from scopec.program.types import ArithmeticFault
from scopec.program.values import (
    Binary,
    Choose,
    Const,
    Convert,
    Named,
    Reg,
    Unary,
    Value,
    applied,
    children,
    inner_first,
    leaves,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scopec.memory.domains.domains import Domains
    from scopec.memory.events.events import Event, EventGraph
    from scopec.memory.events.guards import Guard

#: For each value the literal of: the expression has it.
Bits: TypeAlias = "dict[int, int]"


class Values:
    """The values of reads, choices and what is computed from them.

    ``sources`` gives for each read the writes that it may read from, each with the literal of: it does.
    """

    def __init__(
        self,
        circuit: Circuit,
        graph: EventGraph,
        domains: Domains,
        sources: Mapping[str, Sequence[tuple[Event, int]]],
    ) -> None:
        self.circuit = circuit
        self.graph = graph
        self.domains = domains
        self.sources = sources
        self.registers: dict[str, Bits] = {}
        self.circular = circular_reads(graph)
        self._guards: dict[int, int] = {}
        self._conditions: dict[int, int] = {}
        self._values: dict[Value, Bits] = {}
        self._named: dict[Value, int] = {}
        for name, choice in graph.choices.items():
            self.registers[name] = self.one_of(choice.values, TRUE)
        self._read_values()

    def one_of(self, values: Iterable[int], when: int) -> Bits:
        """A free choice among values, made where ``when`` holds."""
        bits = {v: self.circuit.fresh() for v in values}
        self.circuit.exactly_one(bits.values(), when)
        return bits

    def _read_values(self) -> None:
        """Reads in the order in which values travel; where they may travel in circles, a read's value is free."""
        by_id = self.graph.by_id
        computed_from = {
            read: [
                leaf.name for w, _ in sources if w.value is not None for leaf in leaves(w.value) if leaf.name in by_id
            ]
            for read, sources in self.sources.items()
        }
        circular = frozenset(self.circular)
        for group in reversed(components(computed_from, lambda r: computed_from[r])):
            for read in group:
                if read in circular:
                    self.registers[read] = {v: self.circuit.fresh() for v in self.domains.of[read]}
                else:
                    self.registers[read] = self._returned(read)
        for read in self.circular:
            bits, returned = self.registers[read], self._returned(read)
            self.circuit.at_most_one(bits.values())
            for v, mine in bits.items():  # a value beyond the domain is none, and shows as an overflow
                found = returned.get(v, FALSE)
                self.circuit.require(-found, mine)
                self.circuit.require(-mine, found)

    def _returned(self, read: str) -> Bits:
        """The value of whichever write the read reads from."""
        parts: dict[int, list[int]] = {}
        for write, source in self.sources[read]:
            assert write.value is not None
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
            case Named(_, long):
                self._inside(value)
                return self.bits(long)
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
            case Binary() | Unary() | Convert():
                return self._table(value)
            case _:
                raise AssertionError(value)

    def _inside(self, value: Named) -> None:
        """Encode the names that nest in one, if they nest deep."""
        for inner in inner_first(value, lambda one: one in self._named or one in self._values):
            if inner.type.is_bool:
                self.condition(inner)
            else:
                self.bits(inner)

    def _table(self, value: Value) -> Bits:
        """A function of its operands, row by row; rows for which C++ defines no result are left out."""
        parts: dict[int, list[int]] = {}
        for row in itertools.product(*(self.bits(o).items() for o in children(value))):
            here = self.circuit.all(bit for _, bit in row)
            if here == FALSE:
                continue
            try:
                result = applied(value, [v for v, _ in row])
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
            case Named(_, long):
                if value not in self._named:
                    self._inside(value)
                    self._named[value] = self.condition(long)
                return self._named[value]
            case Reg():
                return circuit.any(bit for v, bit in self.bits(value).items() if v)
            case Binary():
                return self._table(value).get(1, FALSE)
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
