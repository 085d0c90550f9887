"""mbarriers (PTX ISA, "mbarrier"): their state is a record, and what changes it.

``served`` is 1 where a wait has found the phase before the present one over, or there is none before.  The bytes of a
copy are complete as soon as it is issued, and agents arrive at once (:mod:`scopec.progress.mbarriers`): ``copied`` is 1
where such are in the present phase, and ``late`` where they are in the one before and may be in flight still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.progress.steps import Operated, leaves
from scopec.progress.terms import (
    Fn,
    Name,
    Of,
    Record,
    Term,
    both,
    call,
    equal,
    field,
    if_,
    minus,
    op,
    plus,
    record,
    term,
)
from scopec.progress.transition import Definition, Laws

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.progress.system import System


def none() -> Term:
    """The state of an mbarrier before it is initialised, and when it is so no more."""
    return _record(phase=term(0), expected=term(0), pending=term(0), served=term(0))


def _record(**fields: Term) -> Record:
    return record(**fields, bytes=term(0), copied=term(0), late=term(0))


def operated(write: Operated, old: Term) -> Term:
    """The state that an operation leaves of an mbarrier, whose state it finds as ``old``."""
    match write.operation:
        case ir.BarrierInit(_, None):
            return call("NoMbarrier")
        case ir.BarrierInit(_, count):
            assert count is not None
            return call("Mbarrier", Of(count))
        case ir.BarrierArrive(_, _, update, later=True):
            return call("ArriveLater", old, Of(update))
        case ir.BarrierArrive(_, _, update, _, drop, expect):
            more = term(0) if expect is None else Of(expect)
            return call("DropFrom" if drop else "ArriveOn", old, Of(update), more)
        case ir.BarrierExpect(_, arrivals, arrivals=True):
            return call("ExpectArrivals", old, Of(arrivals))
        case ir.BarrierExpect(_, bytes_):
            return call("Expect", old, Of(bytes_))
        case ir.BarrierWait() | ir.BarrierTest():
            return call("Waited" if write.over else "Landed", old)


def _laws() -> Iterator[Definition]:
    b, n, x = Name("b"), Name("n"), Name("x")
    expected, pending, bytes_ = (field(b, name) for name in ("expected", "pending", "bytes"))
    yield Definition("NoMbarrier", (), none(), ("an mbarrier that is not initialised, or no more",))
    made = _record(phase=term(0), expected=n, pending=n, served=term(1))
    law = "the current phase is 0, the expected and the pending arrival count are n, the tx-count is 0"
    yield Definition("Mbarrier", ("n",), made, (law,))
    phase = plus(field(b, "phase"), 1)
    following = record(b, phase=phase, pending=expected, served=term(0), copied=term(0), late=field(b, "copied"))
    law = "nothing is pending: the mbarrier transitions to the next phase, with the expected arrivals pending"
    yield Definition("NextPhase", ("b",), if_(both(equal(pending, 0), equal(bytes_, 0)), following, b), (law,))
    law = "expect-tx increases the tx-count, complete-tx decreases it"
    copied = if_(op(Fn.BELOW, x, 0), term(1), field(b, "copied"))
    yield Definition("Expect", ("b", "x"), call("NextPhase", record(b, bytes=plus(bytes_, x), copied=copied)), (law,))
    law = "so many more arrivals are pending in the current phase"
    yield Definition("ExpectArrivals", ("b", "n"), record(b, pending=plus(pending, n)), (law,))
    arrived = record(b, pending=minus(pending, n), bytes=plus(bytes_, x))
    law = "an expect-tx, then an arrive-on, which decreases the pending count"
    yield Definition("ArriveOn", ("b", "n", "x"), call("NextPhase", arrived), (law,))
    fewer = record(b, expected=minus(expected, n))
    law = "arrivals after which each phase expects so many less"
    yield Definition("DropFrom", ("b", "n", "x"), call("ArriveOn", fewer, n, x), (law,))
    law = "arrivals behind copies, which may be in flight still"
    yield Definition("ArriveLater", ("b", "n"), call("ArriveOn", record(b, copied=term(1)), n, term(0)), (law,))
    law = "a wait has found the phase before over"
    yield Definition("Waited", ("b",), record(b, served=term(1), late=term(0)), (law,))
    law = "what was late has come"
    yield Definition("Landed", ("b",), record(b, late=term(0)), (law,))


MBARRIERS = Laws("", "the state of an mbarrier (PTX ISA, mbarrier)", tuple(_laws()))


def definitions(system: System) -> Iterator[Laws]:
    """The effects of operations on an mbarrier."""
    if any(isinstance(end.write, Operated) for step in system.steps.values() for end in leaves(step.tree)):
        yield MBARRIERS
