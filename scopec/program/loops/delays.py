"""Delay loops: no side effects, and an exit that only a clock or another unmodelled value decides.

``while (clock64() - start < cycles);`` is gone round for some time: a clock goes on, so it ends.  Whether an iteration
of floating-point numbers does is not known here.  "The implementation may assume that any thread will eventually" end
or do something ([intro.progress]/1), so what comes after it is followed; a verdict that stands on its end says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.program.conditions import looked_through
from scopec.program.loops.facts import facts
from scopec.program.loops.loops import live_registers
from scopec.program.specialise import redirect

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.program import ir
    from scopec.program.loops.facts import Facts


def passed(body: ir.Body, observed: frozenset[str] = frozenset()) -> tuple[ir.Body, tuple[Span, ...]]:
    """The graph in which each delay has one turn, and where those are that no clock ends.

    The ``observed`` registers matter at the end of the thread.
    """
    nodes = dict(body.nodes)
    live, told = live_registers(body, observed), looked_through(body)
    supposed: dict[Span, None] = {}
    for fact in facts(told):
        if (after := _left_for(fact, live)) is not None:
            leaving = {fact.loop.head: after}
            nodes |= {n: redirect(nodes[n], lambda f, to=leaving: to.get(f, f)) for n in fact.nodes}  # type: ignore[misc]
            if not _in_every_turn(fact, "clock"):
                supposed[fact.span] = None
    return replace(body, nodes=nodes) if nodes != body.nodes else body, tuple(supposed)


def _left_for(fact: Facts, live: dict[int, frozenset[str]]) -> int | None:
    """The node after a loop that is a delay: every turn may be its last, and how many there were is seen nowhere.

    Not even a read is made in it, as a delay has one turn then: a wait is not over after one.
    """
    if len(fact.outside) != 1 or not fact.idle({"none"}) or not _in_every_turn(fact, "clock", "unknown"):
        return None
    (following,) = fact.outside
    return None if fact.computed & live[following] else following


def _in_every_turn(fact: Facts, *what: str) -> bool:
    """Whether every turn of a loop comes to an exit that only what is not modelled decides, of some kinds."""
    return any(fact.in_every_turn(one.number) for one in fact.exits_by(*what))
