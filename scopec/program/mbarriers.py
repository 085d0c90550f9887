"""mbarriers: what an operation leaves of one, and which rule it breaks, as values over its state.

"The mbarrier object tracks: the current phase, count of pending arrivals for the current phase, count of expected
arrivals for the next phase, count of pending asynchronous memory operations (or transactions) tracked by the current
phase" (PTX ISA, "Contents of the mbarrier object").  A phase is complete when both counts of it are zero; "the mbarrier
object transitions to the next phase and the pending count is reinitialized to the expected arrival count" ("Phase
Completion").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import ir, types, values
from scopec.program.values import Binary, Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

#: "The valid range for each of the counts": of arrivals, and of bytes.
MOST_ARRIVALS, MOST_BYTES = 2**20 - 1, 2**20 - 1

#: The requirement on an operation, in words, of each rule that it may break.
RULES = {
    ir.BarrierFault.NOT_INITIALISED: "the mbarrier is initialised",
    ir.BarrierFault.INITIALISED: "the mbarrier is not initialised yet, or no more",
    ir.BarrierFault.COUNT: f"the count is 1 to {MOST_ARRIVALS}",
    ir.BarrierFault.TOO_MANY: "so many arrivals are pending",
    ir.BarrierFault.OVERRUN: "a wait has found the phase before over",
    ir.BarrierFault.STALE: "the token is of this phase or the one before",
    ir.BarrierFault.COMPLETES: "an arrival with .noComplete does not end the phase",
    ir.BarrierFault.LATE_BYTES: "bytes come before the phase is over, or behind a wait for it",
}


@dataclass(frozen=True, slots=True)
class State:
    """The state of an mbarrier: 64-bit numbers; one whose phases expect no arrivals is not initialised.

    ``served`` is whether a wait has found the phase before this one over, None where it is not known.
    """

    phase: Value
    expected: Value
    pending: Value
    bytes: Value
    served: Value | None = None


def fault(operation: ir.BarrierOperation, state: State) -> Value:
    """The first rule that an operation breaks on a state, a :class:`scopec.program.ir.BarrierFault` as an int."""
    found: Value = Const(ir.BarrierFault.NONE, types.INT)
    for rule, broken in reversed(list(_broken(operation, state))):
        found = values.choose(broken, Const(rule, types.INT), found)
    return found


def _broken(operation: ir.BarrierOperation, state: State) -> Iterator[tuple[ir.BarrierFault, Value]]:
    none = _is(state.expected, 0)
    match operation:
        case ir.BarrierInit(_, None):
            yield ir.BarrierFault.NOT_INITIALISED, none
        case ir.BarrierInit(_, count):
            assert count is not None
            yield ir.BarrierFault.INITIALISED, values.unary("!", none)
            yield ir.BarrierFault.COUNT, _outside(_long(count))
        case ir.BarrierArrive(_, _, update, _, drop, expect):
            yield ir.BarrierFault.NOT_INITIALISED, none
            yield ir.BarrierFault.COUNT, _outside(_long(update))
            yield ir.BarrierFault.TOO_MANY, values.binary(">", _long(update), state.pending)
            if drop:
                yield ir.BarrierFault.COUNT, _is(values.binary("-", state.expected, _long(update)), 0)
            if operation.partial:
                last = values.binary("==", _long(update), state.pending)
                yield ir.BarrierFault.COMPLETES, values.binary("&&", last, _is(_with(state.bytes, expect), 0))
            yield from _overrun(state)
        case ir.BarrierExpect(_, bytes_, arrivals=arrivals):
            yield ir.BarrierFault.NOT_INITIALISED, none
            if arrivals:
                yield ir.BarrierFault.COUNT, _outside(values.binary("+", state.pending, _long(bytes_)))
            if state.served is not None:
                less = values.binary("<", state.bytes, _number(0))
                late = values.binary("&&", _is(state.pending, 0), less)
                more = values.binary(">", _long(bytes_), _number(0))
                yield ir.BarrierFault.LATE_BYTES, values.binary("&&", late, more)
        case ir.BarrierWait() | ir.BarrierTest():
            yield ir.BarrierFault.NOT_INITIALISED, none
            token = token_of(operation)
            if token is not None:
                since = values.binary("-", state.phase, token)
                earlier, later = values.binary(">", since, _number(1)), values.binary("<", since, _number(0))
                yield ir.BarrierFault.STALE, values.binary("||", earlier, later)


def token_of(operation: ir.BarrierWait | ir.BarrierTest) -> Value | None:
    """The token that an operation looks for the end of, None where it looks for that of a parity.

    It is that "of the current phase or the immediately preceding phase of the mbarrier object" (PTX ISA,
    "mbarrier.test_wait").
    """
    match operation.condition:
        case Binary("!=", Reg(name), token) if name == operation.target:
            return token
        case _:
            return None


def _overrun(state: State) -> Iterator[tuple[ir.BarrierFault, Value]]:
    """ "For each phase of the mbarrier object, at least one test_wait or try_wait operation must be performed which
    returns True for waitComplete before an arrive-on operation in the subsequent phase."."""
    if state.served is not None:
        later = values.binary(">", state.phase, _number(0))
        yield ir.BarrierFault.OVERRUN, values.binary("&&", later, values.unary("!", state.served))


def after(operation: ir.BarrierOperation, state: State) -> State:
    """The state that an operation leaves."""
    match operation:
        case ir.BarrierInit(_, None):
            return State(_number(0), _number(0), _number(0), _number(0))
        case ir.BarrierInit(_, count):
            assert count is not None
            return State(_number(0), _long(count), _long(count), _number(0))
        case ir.BarrierArrive(_, _, update, _, drop, expect):
            expected = values.binary("-", state.expected, _long(update)) if drop else state.expected
            pending = values.binary("-", state.pending, _long(update))
            return _maybe_over(State(state.phase, expected, pending, _with(state.bytes, expect)))
        case ir.BarrierExpect(_, arrivals_, arrivals=True):
            pending = values.binary("+", state.pending, _long(arrivals_))
            return State(state.phase, state.expected, pending, state.bytes)
        case ir.BarrierExpect(_, bytes_):
            more = values.binary("+", state.bytes, _long(bytes_))
            return _maybe_over(State(state.phase, state.expected, state.pending, more))
        case ir.BarrierWait() | ir.BarrierTest():
            return state


def _with(bytes_: Value, expect: Value | None) -> Value:
    """The bytes that are pending when some more are expected, or none."""
    return bytes_ if expect is None else values.binary("+", bytes_, _long(expect))


def _maybe_over(state: State) -> State:
    """The next phase where nothing is pending any more."""
    over = values.binary("&&", _is(state.pending, 0), _is(state.bytes, 0))
    phase = values.choose(over, values.binary("+", state.phase, _number(1)), state.phase)
    return State(phase, state.expected, values.choose(over, state.expected, state.pending), state.bytes)


def _number(number: int) -> Const:
    return Const(number, types.LONG)


def _long(value: Value) -> Value:
    return values.convert(value, types.LONG)


def _is(value: Value, number: int) -> Value:
    return values.binary("==", value, _number(number))


def _outside(count: Value) -> Value:
    return values.binary("||", values.binary("<", count, _number(1)), values.binary(">", count, _number(MOST_ARRIVALS)))
