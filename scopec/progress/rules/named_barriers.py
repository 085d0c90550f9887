"""Barriers with names (PTX's ``bar.sync`` and ``bar.arrive``).

``tokens`` holds a triple of thread, barrier and phase for each arrival whose phase is not over; a phase is counted from
the barrier's current one.  The k-th arrival of a thread at a barrier belongs to its k-th phase.  With a count it is of
the current phase, or of the one after those in which the thread has arrived, and the last of a phase ends it:
"When a barrier completes, the waiting threads are restarted without delay, and the barrier is reinitialized so that it
can be immediately reused" (PTX ISA, "bar").  A warp that comes again before that counts again, so that all tokens of
such a barrier are of its current phase.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.values import Const
from scopec.progress.rules.barriers import cast, tally
from scopec.progress.steps import OUTCOME
from scopec.progress.terms import (
    EMPTY,
    Fn,
    Of,
    Term,
    among,
    at,
    both,
    call,
    differs,
    each,
    either,
    equal,
    every,
    if_,
    negated,
    op,
    set_of,
    size,
    table,
    term,
    those,
    thread,
    tuple_of,
    union,
)
from scopec.progress.transition import Definition, Laws, Transition, Update, Variable

if TYPE_CHECKING:
    from scopec.progress.steps import Step
    from scopec.progress.system import System


def is_used(system: System) -> bool:
    """Whether some thread uses a barrier with a name."""
    return any(isinstance(s.operation, ir.NamedBarrier) for s in system.steps.values())


def variables(system: System) -> Iterator[Variable]:
    """The variables of the state about named barriers."""
    if is_used(system):
        yield Variable("tokens", "arrivals at named barriers: thread, barrier, phase", EMPTY)


def _laws() -> Iterator[Definition]:
    x1, x2, x3 = (at("x", n) for n in (1, 2, 3))
    partners = both(equal(at("BlockOf", "u"), at("b", 1)), call("Takes", "u", "b"))
    yield Definition("Partners", ("b",), those("u", "DeviceThreads", partners))
    yield Definition("Tokens", ("t", "b"), those("x", "tokens", both(equal(x1, "t"), equal(x2, "b"))))
    yield Definition("Phase", ("t", "b"), size(call("Tokens", "t", "b")))
    token = tuple_of("t", "b", op(Fn.PLUS, call("Phase", "t", "b"), 1))
    yield Definition("Arrived", ("t", "b"), union("tokens", set_of(token)))
    later = those("y", "all", both(equal(at("y", 2), "b"), op(Fn.ABOVE, at("y", 3), "k")))
    sooner = each(tuple_of(x1, "b", op(Fn.MINUS, x3, "k")), "x", later)
    law = "phases up to the k-th are over, and the next is the first"
    passed = union(those("x", "all", differs(x2, "b")), sooner)
    yield Definition("Passed", ("all", "b", "k"), passed, (law,))
    law = "every thread that may arrive has arrived or exited"
    come = either(among(tuple_of("u", "b", "k"), "tokens"), call("Done", "u"))
    yield Definition("Joined", ("b", "k"), every("u", call("Partners", "b"), come), (law,))
    first = those("x", "all", both(equal(x2, "b"), equal(x3, 1)))
    counted = if_(op(Fn.AT_LEAST, size(first), "n"), call("Passed", "all", "b", 1), "all")
    yield Definition("Counted", ("all", "b", "n"), counted, ("so many arrivals are a phase",))
    filled = op(Fn.AT_LEAST, size(those("x", "all", equal(x2, "b"))), "n")
    whole = if_(filled, those("x", "all", differs(x2, "b")), "all")
    yield Definition("Filled", ("all", "b", "n"), whole, ("so many arrivals of warps are a phase, whoever's they are",))


_ABOUT = "PTX's barriers with names: an arrival is a token until its phase is over"
NAMED_BARRIERS = Laws("NamedBarriers", _ABOUT, tuple(_laws()))


def definitions(system: System) -> Iterator[Definition | Laws]:
    """The operators that arrivals and waits need."""
    if not is_used(system):
        return
    texts: dict[tuple[int | None, ...], list[str]] = {}
    for t in system.threads:
        for name in dict.fromkeys(_names(t)):
            texts.setdefault(name, []).append(t.name)
    law = "the threads of a block whose text arrives at a barrier"
    yield Definition("Takes", ("u", "b"), either(*(_takes(name, users) for name, users in texts.items())), (law,))
    yield NAMED_BARRIERS


def _names(of: ir.Thread) -> list[tuple[int | None, ...]]:
    """The names in a thread's text, None for a part that is computed."""
    operations = [n.operation for n in of.body.nodes.values() if isinstance(n, ir.Do)]
    names = [op.name for op in operations if isinstance(op, ir.NamedBarrier)]
    return [tuple(part.value if isinstance(part, Const) else None for part in name) for name in names]


def _takes(name: tuple[int | None, ...], users: list[str]) -> Term:
    known = [equal(at("b", i), part) for i, part in enumerate(name, start=2) if part is not None]
    return both(among("u", set_of(*map(thread, users))), equal(op(Fn.LENGTH, "b"), len(name) + 1), *known)


def _barrier(operation: ir.NamedBarrier) -> Term:
    return tuple_of(at("BlockOf", "t"), *map(Of, operation.name))


def arrive(step: Step, operation: ir.NamedBarrier) -> Transition:
    """Arriving at the next phase; the arrival that completes the count of a phase ends it.

    Who votes waits, so that its one token is of the first phase; where that ends, the outcome takes the votes' place.
    """
    barrier, vote = _barrier(operation), operation.vote
    arrived = call("Arrived", "t", barrier)
    if operation.count is None:
        cast_ = () if vote is None else (Update("ballot", term("t"), cast(vote)),)
        return Transition(step, updates=(Update("tokens", None, arrived), *cast_))
    after = call("Filled" if operation.warps else "Counted", arrived, barrier, Of(operation.count))
    updates = [Update("tokens", None, after)]
    if vote is not None:
        over = both(_voted("u", barrier, arrived), negated(_voted("u", barrier, after)))
        there = those("v", "DeviceThreads", _voted("v", barrier, arrived))
        outcome = tally(vote, there, if_(equal("v", "t"), cast(vote), at("ballot", "v")))
        given = if_(over, outcome, if_(equal("u", "t"), cast(vote), at("ballot", "u")))
        updates.append(Update("ballot", None, table("u", "DeviceThreads", given)))
    return Transition(step, updates=tuple(updates))


def _voted(who: str, barrier: Term, tokens: Term) -> Term:
    """Whether a thread that votes has arrived."""
    return among(tuple_of(who, barrier, 1), tokens)


def leave(step: Step, operation: ir.NamedBarrier) -> Transition:
    """Waiting for the end of the phase of the last arrival, and leaving, with the outcome of a vote."""
    barrier, vote = _barrier(operation), operation.vote
    phase = call("Phase", "t", barrier)
    over, own = equal(phase, 0), at("ballot", "t")
    if operation.count is not None:
        return Transition(step, over, outcomes={} if vote is None else {OUTCOME: own})
    updates, outcomes = [Update("tokens", None, call("Passed", term("tokens"), barrier, phase))], dict[str, Term]()
    if vote is not None:
        there = those("v", "DeviceThreads", _voted("v", barrier, term("tokens")))
        outcome = tally(vote, there)
        met = both(negated(over), _voted("u", barrier, term("tokens")))
        updates.append(Update("ballot", None, table("u", "DeviceThreads", if_(met, outcome, at("ballot", "u")))))
        outcomes[OUTCOME] = if_(over, own, outcome)
    return Transition(step, either(over, call("Joined", barrier, phase)), tuple(updates), outcomes=outcomes)
