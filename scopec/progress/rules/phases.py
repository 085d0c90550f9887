"""Barriers that are objects of the program (``cuda::barrier``): their state is a record, and what changes it.

"The expected count is decremented by each call to arrive or arrive_and_drop", and when it has reached zero it "is
reset to what was specified by the expected argument to the constructor, possibly adjusted by calls to arrive_and_drop,
and the next phase starts" ([thread.barrier.class]/1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.program.ir import Use
from scopec.progress.rules.mbarriers import none, operated
from scopec.progress.steps import Arrival, BarrierWrite, Made, Operated, leaves
from scopec.progress.terms import Name, Of, Short, Term, call, equal, field, if_, minus, plus, record, term
from scopec.progress.transition import Definition, Laws

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.program.ir import Object
    from scopec.progress.system import System


def first(object_: Object, index: int) -> Term:
    """The first value of an element of an object."""
    value = object_.values[index] or 0
    match object_.use:
        case Use.BARRIER:
            return made(value)
        case Use.MBARRIER:
            return none()
        case _:
            return term(value)


def made(count: Short) -> Term:
    """The state of a barrier whose phases expect so many arrivals."""
    return record(phase=term(0), expected=term(count), pending=term(count))


def written(write: BarrierWrite, old: Term) -> Term:
    """The state that a step leaves of a barrier, whose state it finds as ``old``."""
    match write:
        case Made(count):
            return call("Barrier", Of(count))
        case Arrival(update, drop):
            return call("Drop" if drop else "Arrive", old, Of(update))
        case Operated():
            return operated(write, old)


def _laws() -> Iterator[Definition]:
    b, n = Name("b"), Name("n")
    expected, pending = field(b, "expected"), field(b, "pending")
    yield Definition("Barrier", ("n",), made(n), ("a barrier whose phases expect n arrivals",))
    over = record(b, phase=plus(field(b, "phase"), 1), pending=expected)
    more = record(b, pending=minus(pending, n))
    law = "the last arrivals that are pending end the phase: the next one starts"
    yield Definition("Arrive", ("b", "n"), if_(equal(pending, n), over, more), (law,))
    fewer = record(b, expected=minus(expected, 1))
    law = "an arrival after which each phase expects one less"
    yield Definition("Drop", ("b", "n"), call("Arrive", fewer, n), (law,))


PHASES = Laws("", "the state of a cuda::barrier ([thread.barrier.class]/1)", tuple(_laws()))


def definitions(system: System) -> Iterator[Laws]:
    """The effect of an arrival on a barrier."""
    if any(isinstance(end.write, Made | Arrival) for step in system.steps.values() for end in leaves(step.tree)):
        yield PHASES
