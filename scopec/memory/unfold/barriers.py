"""Barriers as the memory question reads them: one number in memory, which arrivals change and waits look at.

The number is ``phase * base * base + expected * base + pending``: the phase that a barrier is in, how many arrivals a
phase expects, and how many are still to come.  An arrival is then a read-modify-write, and a wait blocks until it reads
a phase that lets it go: as it reads what the arrivals before have made, it synchronises with all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import ir, values
from scopec.program.types import LONG
from scopec.program.values import Const, Reg, Value, substitute

if TYPE_CHECKING:
    from scopec.program.program import Program

#: Two decimal digits a number, so that people can read it; where a phase expects more arrivals, or who knows how many.
_BASE, _UNKNOWN = 100, 10_000_000


def packed(program: Program) -> Program:
    """The program with the state of each barrier as a number, and operations on barriers as accesses to it."""
    operations = [n.operation for t in program.threads for n in t.body.nodes.values() if isinstance(n, ir.Do)]
    found = [operation for operation in operations if isinstance(operation, ir.BarrierOperation)]
    if not found:
        return program
    counts = [operation.count for operation in found if isinstance(operation, ir.BarrierInit)]
    encoding = _Encoding(_base([*counts, *_initial(program)]))
    objects = {name: encoding.object(object_) for name, object_ in program.objects.items()}
    return replace(program.with_bodies(encoding.body), objects=objects)


def _initial(program: Program) -> Iterator[Value]:
    """How many arrivals the phases of barriers expect that are never initialised."""
    for object_ in program.objects.values():
        if object_.use is ir.Use.BARRIER:
            yield from (Const(count, LONG) for count in object_.values if count is not None)


def _base(counts: list[Value]) -> int:
    known = [count.value for count in counts if isinstance(count, Const)]
    base = _BASE if len(known) == len(counts) else _UNKNOWN
    while base <= max(known, default=0):
        base *= 10
    return base


@dataclass(frozen=True, slots=True)
class _Encoding:
    """What a barrier is as a number: arrivals that are still to come are its units."""

    base: int

    def object(self, object_: ir.Object) -> ir.Object:
        if object_.use is not ir.Use.BARRIER:
            return object_
        return replace(object_, values=tuple(v and v * (self.base + 1) for v in object_.values))

    def body(self, body: ir.Body) -> ir.Body:
        nodes = dict(body.nodes)
        for number, node in body.nodes.items():
            if not (isinstance(node, ir.Do) and isinstance(node.operation, ir.BarrierOperation)):
                continue
            if isinstance(node.operation, ir.BarrierInit):
                nodes[number] = replace(node, operation=self._made(node.operation))
                continue
            target = node.operation.target
            state = Reg(f"{target} state", LONG)
            after = max(nodes) + 1
            nodes[after] = ir.Do(ir.Set(target, self._phase(state)), node.span, node.next)
            nodes[number] = ir.Do(self._access(node.operation, state), node.span, after)
        return replace(body, nodes=nodes)

    def _made(self, operation: ir.BarrierInit) -> ir.Store:
        state = values.binary("*", values.convert(operation.count, LONG), self._number(self.base + 1))
        return ir.Store(operation.place, state, operation.mode)

    def _access(
        self, operation: ir.BarrierArrive | ir.BarrierWait | ir.BarrierPhase, state: Reg
    ) -> ir.Rmw | ir.Await | ir.Load:
        """The access to the number, which is then in the register ``state``."""
        match operation:
            case ir.BarrierArrive(_, place, update, mode, drop):
                return ir.Rmw(state.name, place, self._arrived(state, update, drop=drop), mode)
            case ir.BarrierWait(target, place, condition, mode):
                return ir.Await(state.name, place, substitute(condition, _for(target, self._phase(state))), mode)
            case ir.BarrierPhase(_, place, mode):
                return ir.Load(state.name, place, mode)

    def _arrived(self, state: Value, update: Value, *, drop: bool) -> Value:
        """The number after an arrival."""
        base, of_phase = self._number(self.base), self._number(self.base**2)
        if drop:
            state = values.binary("-", state, base)
        pending = values.binary("%", state, base)
        expected = values.binary("/", values.binary("%", state, of_phase), base)
        none_pending = values.binary("*", values.binary("/", state, base), base)
        following = values.binary("+", values.binary("+", none_pending, of_phase), expected)
        return values.choose(values.binary("==", pending, update), following, values.binary("-", state, update))

    def _phase(self, state: Value) -> Value:
        return values.binary("/", state, self._number(self.base**2))

    @staticmethod
    def _number(number: int) -> Const:
        return Const(number, LONG)


def _for(register: str, value: Value) -> Callable[[Reg | values.Builtin], Value]:
    return lambda leaf: value if leaf.name == register else leaf
