"""A litmus thread that is being lowered: its graph, its registers, and accesses through pointers."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.frontends.code import Code
from scopec.frontends.litmus.lower.world import POINTER, World
from scopec.program import faults, ir, types, values
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.base.source import Span
    from scopec.frontends.litmus.lower.world import Position
    from scopec.program.types import IntType


@dataclass
class Frame(Code[World]):
    """A thread's body while it is built.  ``registers`` are the source's registers with their types."""

    name: str
    registers: dict[str, IntType] = field(default_factory=dict)
    initial: dict[str, Const] = field(default_factory=dict)

    def register(self, name: str, type_: IntType) -> Reg:
        """A register of the source; it begins with its value in the initial state, or 0."""
        known = self.registers.setdefault(name, type_)
        return Reg(name, known)

    def finish(self, position: Position, span: Span) -> ir.Thread:
        """The thread, its registers set before it begins: "registers that a thread never sets are 0"."""
        body = self.builder.finish(self.registers, frozenset())
        first = len(self.registers)
        nodes: dict[int, ir.Node] = {}
        for number, (name, type_) in enumerate(self.registers.items()):
            given = self.initial.get(name) or self.world.registers.get((self.name, name)) or Const(0, type_)
            value = values.convert(given, type_)
            following = number + 1 if number + 1 < first else body.entry + first
            nodes[number] = ir.Do(ir.Set(name, value), span, following)
        nodes |= {number + first: _shifted(node, first) for number, node in body.nodes.items()}
        entry = 0 if first else body.entry
        whole = replace(body, entry=entry, nodes=nodes)
        return ir.Thread(self.name, whole, device=position.device, unit=position.block, cluster=position.cluster)

    def through(
        self, address: Value, text: str, span: Span, access: Callable[[ir.Place, IntType], None], count: int = 1
    ) -> None:
        """Access what an address points to: a case for each element in memory that it may be the first of ``count``.

        An address that is of none must not be followed.
        """
        done = self.builder.label()
        for known, object_, index in self.world.elements():
            if not whole(object_, index, count):
                continue
            there, otherwise = self.builder.label(), self.builder.label()
            self.builder.split(values.binary("==", values.convert(address, POINTER), known), span, there, otherwise)
            self.builder.place(there)
            access(ir.Place(object_.name, Const(index, types.INT)), object_.type)
            self.builder.jump(done)
            self.builder.place(otherwise)
        self.emit(faults.of_pointer(values.FALSE, text), span)
        self.builder.place(done)


def whole(object_: ir.Object, first: int, count: int) -> bool:
    """Whether so many elements from one on are there, and aligned as a vector is."""
    return first % count == 0 and 0 <= first <= len(object_.values) - count


def _shifted(node: ir.Node, by: int) -> ir.Node:
    match node:
        case ir.Do(operation, span, following):
            return ir.Do(operation, span, following + by)
        case ir.Branch(condition, span, then, otherwise):
            return ir.Branch(condition, span, then + by, otherwise + by)
        case ir.Exit():
            return node
