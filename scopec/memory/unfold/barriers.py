"""Barriers as the memory question reads them: one number in memory, which arrivals change and waits look at.

The number is ``phase * base * base + expected * base + pending``: the phase that a barrier is in, how many arrivals a
phase expects, and how many are still to come.  An arrival is then a read-modify-write, and a wait blocks until it reads
a phase that lets it go: as it reads what the arrivals before have made, it synchronises with all of them.

That of an mbarrier is followed by the bytes that are pending (:data:`_BYTES` are none, as there may be fewer
than none).  Its waits take phases: they synchronise with the arrivals of the phase that they find over, and no others
(:mod:`scopec.memory.unfold.phases`).  So that the phases of one that is made again are others, ending it takes the
phase to the next multiple of :data:`PHASES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass, replace
from scopec.program import ir, mbarriers, values
from scopec.program.builder import expanded
from scopec.program.mbarriers import MOST_BYTES, State
from scopec.program.types import INT, LONG
from scopec.program.values import Const, Reg, Value, substitute

if TYPE_CHECKING:
    from scopec.program.program import Program

#: Two decimal digits a number, so that people can read it; where a phase expects more arrivals, or who knows how many.
_BASE, _UNKNOWN = 100, 10_000_000
#: Of an mbarrier: the base of each number, so that all have 64 bits, and the number for no bytes.
_MOST, _BYTES = 10_000, 5_000_000
assert _BYTES > MOST_BYTES
#: What the number of an mbarrier grows by with its phase.
PHASE = _MOST**2 * 2 * _BYTES
#: The number of phases between two initialisations; even, so that parities stay.
PHASES = 1000


def packed(program: Program) -> Program:
    """The program with the state of each barrier as a number, and operations on barriers as accesses to it.

    Raises InputError where an mbarrier expects more arrivals than its number has room for.
    """
    nodes = [n for t in program.threads for n in t.body.nodes.values() if isinstance(n, ir.Do)]
    found = [n.operation for n in nodes if isinstance(n.operation, ir.BarrierOperation)]
    if not found:
        return program
    of_mbarriers = {name for name, object_ in program.objects.items() if object_.use is ir.Use.MBARRIER}
    made = [(n.span, n.operation) for n in nodes if isinstance(n.operation, ir.BarrierInit)]
    for span, one in made:
        if one.place.object in of_mbarriers and isinstance(one.count, Const) and one.count.value >= _MOST:
            message = f"an mbarrier of {_MOST} arrivals and more is not modelled"
            raise error(Code.OUTSIDE_SUBSET, message, span, "let fewer threads arrive")
    counts = [one.count for _, one in made if one.count is not None and one.place.object not in of_mbarriers]
    encoding = _Encoding(_base([*counts, *_initial(program)]), frozenset(of_mbarriers))
    objects = {name: encoding.object(object_) for name, object_ in program.objects.items()}
    return replace(program.with_bodies(encoding.body), objects=objects)


def _initial(program: Program) -> Iterator[Value]:
    """The number of arrivals that phases of barriers expect that are never initialised."""
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
    """A barrier as a number: arrivals that are still to come are its units, or come before the bytes."""

    base: int
    mbarriers: frozenset[str]

    def object(self, object_: ir.Object) -> ir.Object:
        if object_.use is ir.Use.MBARRIER:
            state = (self.number(State(*(Const(n, LONG) for n in (0, v or 0, v or 0, 0)))) for v in object_.values)
            return replace(object_, values=tuple(n.value if isinstance(n, Const) else None for n in state))
        if object_.use is not ir.Use.BARRIER:
            return object_
        return replace(object_, values=tuple(v and v * (self.base + 1) for v in object_.values))

    def body(self, body: ir.Body) -> ir.Body:
        return expanded(body, self._operations)

    def _operations(self, operation: ir.Operation, number: int) -> Iterator[ir.Operation]:
        if not isinstance(operation, ir.BarrierOperation):
            yield operation
        elif operation.place.object in self.mbarriers:
            yield from self._of_mbarrier(operation, number)
        else:
            yield from self._of_barrier(operation)

    # ---- barriers of the library

    def _of_barrier(self, operation: ir.BarrierOperation) -> Iterator[ir.Operation]:
        match operation:
            case ir.BarrierInit(place, count):
                assert count is not None, "only an mbarrier is invalidated"
                state = values.binary("*", values.convert(count, LONG), self._const(self.base + 1))
                yield ir.Store(place, state, operation.mode)
            case ir.BarrierArrive(target, place, update, mode, drop):
                state = Reg(f"{target} state", LONG)
                yield ir.Rmw(state.name, place, self._arrived(state, update, drop=drop), mode)
                yield ir.Set(target, self._phase(state))
            case ir.BarrierWait(target, place, condition, mode):
                state = Reg(f"{target} state", LONG)
                yield ir.Await(state.name, place, _of(target, condition, self._phase(state)), mode)
                yield ir.Set(target, self._phase(state))
            case ir.BarrierTest(target, place, condition, mode):
                state = Reg(f"{target} state", LONG)
                yield ir.Load(state.name, place, mode)
                yield ir.Set(target, _of(target, condition, self._phase(state)))
            case ir.BarrierExpect():
                raise AssertionError("only an mbarrier counts bytes")

    def _arrived(self, state: Value, update: Value, *, drop: bool) -> Value:
        """The number after an arrival."""
        base, of_phase = self._const(self.base), self._const(self.base**2)
        if drop:
            state = values.binary("-", state, base)
        pending = values.binary("%", state, base)
        expected = values.binary("/", values.binary("%", state, of_phase), base)
        none_pending = values.binary("*", values.binary("/", state, base), base)
        following = values.binary("+", values.binary("+", none_pending, of_phase), expected)
        return values.choose(values.binary("==", pending, update), following, values.binary("-", state, update))

    def _phase(self, state: Value) -> Value:
        return values.binary("/", state, self._const(self.base**2))

    # ---- mbarriers

    def _of_mbarrier(self, operation: ir.BarrierOperation, number: int) -> Iterator[ir.Operation]:
        found = Reg(f"%mbarrier {number}", LONG)
        state = self.state(found)
        if isinstance(operation, ir.BarrierInit):
            yield ir.Load(found.name, operation.place, operation.mode)
            if operation.fault:
                yield ir.Set(operation.fault, self._fault_of(operation, state))
            times = values.binary("/", state.phase, self._const(PHASES))
            if operation.count is None:
                times = values.binary("+", times, self._const(1))
            phase = values.binary("*", times, self._const(PHASES))
            made = replace(mbarriers.after(operation, state), phase=phase)
            yield ir.Store(operation.place, self.number(made), operation.mode)
            return
        match operation:
            case ir.BarrierArrive(target, place, _, mode):
                yield ir.Rmw(found.name, place, self.number(mbarriers.after(operation, state)), mode)
                yield ir.AtBarrier(state.phase, arrives=True, ordered=operation.is_ordered)
                yield ir.Set(target, state.phase)
                if operation.pending:
                    yield ir.Set(operation.pending, state.pending)
            case ir.BarrierExpect(place, _, mode):
                yield ir.Rmw(found.name, place, self.number(mbarriers.after(operation, state)), mode)
                yield ir.AtBarrier(state.phase)
            case ir.BarrierWait(target, place, condition, mode):
                yield ir.Await(found.name, place, _of(target, condition, state.phase), mode)
                yield ir.AtBarrier(state.phase, values.TRUE)
                yield ir.Set(target, state.phase)
            case ir.BarrierTest(target, place, condition, mode):
                over = _of(target, condition, state.phase)
                yield ir.Load(found.name, place, mode)
                yield ir.AtBarrier(state.phase, over)
                yield ir.Set(target, over)
        if operation.fault:
            yield ir.Set(operation.fault, self._fault_of(operation, state))

    def _fault_of(self, operation: ir.BarrierOperation, state: State) -> Value:
        """The rule that is broken; a count that is computed and has no room in a number is out of range, too."""
        found = mbarriers.fault(operation, state)
        match operation:
            case ir.BarrierInit(_, count) if count is not None and not isinstance(count, Const):
                counted = values.convert(count, LONG)
            case ir.BarrierExpect(arrivals=True):
                counted = mbarriers.after(operation, state).pending
            case _:
                return found
        many = values.binary(">=", counted, self._const(_MOST))
        return values.choose(many, Const(ir.BarrierFault.COUNT, INT), found)

    def state(self, number: Value) -> State:
        """The state that a number is."""
        bytes_, of_bytes, base = self._const(_BYTES), self._const(2 * _BYTES), self._const(_MOST)
        counts = values.binary("/", number, of_bytes)
        return State(
            values.binary("/", counts, self._const(_MOST**2)),
            values.binary("%", values.binary("/", counts, base), base),
            values.binary("%", counts, base),
            values.binary("-", values.binary("%", number, of_bytes), bytes_),
        )

    def number(self, state: State) -> Value:
        """The number that a state is."""
        found = state.phase
        for part, base in ((state.expected, _MOST), (state.pending, _MOST), (state.bytes, 2 * _BYTES)):
            found = values.binary("+", values.binary("*", found, self._const(base)), part)
        return values.binary("+", found, self._const(_BYTES))

    @staticmethod
    def _const(number: int) -> Const:
        return Const(number, LONG)


def parts(number: int) -> dict[str, int]:
    """The parts of an mbarrier's number: its ``phase``, and the numbers ``expected``, ``pending`` and in ``bytes``."""
    counts, bytes_ = divmod(number, 2 * _BYTES)
    phase, counts = divmod(counts, _MOST**2)
    return {"phase": phase % PHASES, "expected": counts // _MOST, "pending": counts % _MOST, "bytes": bytes_ - _BYTES}


def _of(register: str, value: Value, found: Value) -> Value:
    """A value over what a barrier's operation finds, the register, as one over what that is."""
    return substitute(value, _for(register, found))


def _for(register: str, value: Value) -> Callable[[Reg | values.Builtin], Value]:
    return lambda leaf: value if leaf.name == register else leaf
