"""States of barriers as numbers: the phase of an arrival, and, where its grid asks for it, how many were pending then.

"The mbarrier.pending_count [...] query the pending arrival count from the opaque mbarrier state": that of the mbarrier
"prior to the arrive-on operation" which gave the state (PTX ISA, "mbarrier.pending_count", "mbarrier.arrive").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.llvm.numbers import as_type, resized
from scopec.frontends.clang.machine.instructions import value_of
from scopec.frontends.clang.machine.state import Again
from scopec.program import types, values
from scopec.program.mbarriers import MOST_ARRIVALS
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from scopec.frontends.clang.intrinsics.call import Call

#: The numbers that a state has for each phase.
_COUNTS = Const(MOST_ARRIVALS + 1, types.LONG)


def has_counts(call: Call) -> bool:
    """Whether the states of a grid say how many arrivals were pending."""
    return call.machine.thread in call.machine.world.counted


def state_of(call: Call, phase: Value, pending: Value | None) -> Value:
    """The state that an arrival gives; ``pending`` is None where nobody can ask."""
    if not has_counts(call):
        return phase
    counted = values.binary("*", phase, _COUNTS)
    return counted if pending is None else values.binary("+", counted, pending)


def phase_of(call: Call, position: int) -> Value:
    """The phase of the state that an argument is, as it is when the registers of the call have been made."""
    state = as_type(value_of(call.machine, call.state, call.action.arguments[position]), types.LONG)
    return values.binary("/", state, _COUNTS) if has_counts(call) else state


def pending_count(call: Call) -> bool:
    """``mbarrier_pending_count(state)``: how many arrivals were pending before the one that gave the state."""
    if not has_counts(call):
        call.machine.world.counted.add(call.machine.thread)
        raise Again
    state = as_type(call.number(0), types.LONG)
    return call.done(resized("trunc", values.binary("%", state, _COUNTS), 32))
