"""Delay loops: no side effects, and an exit that only a clock or another unmodelled value decides.

``while (clock64() - start < cycles);`` is gone round for some time: a clock goes on, so it ends.  Whether an iteration
of floating-point numbers does is not known here.  "The implementation may assume that any thread will eventually" end
or do something ([intro.progress]/1), so what comes after it is followed; a verdict that stands on its end says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.conditions import decided_by, looked_through
from scopec.program.effects import registers, uses_and_definitions
from scopec.program.loops.headers import in_every_turn
from scopec.program.loops.loops import Loop, live_registers, loops
from scopec.program.specialise import redirect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span

#: What neither memory nor another thread notices.
_NOTHING = (ir.Set, ir.Yield, ir.Decide, ir.Operand, ir.Called)


def passed(body: ir.Body, observed: frozenset[str] = frozenset()) -> tuple[ir.Body, tuple[Span, ...]]:
    """The graph in which each delay has one turn, and where those are that no clock ends.

    The ``observed`` registers matter at the end of the thread.
    """
    nodes = dict(body.nodes)
    live, told = live_registers(body, observed), looked_through(body)
    supposed: dict[Span, None] = {}
    for loop in loops(body):
        if (after := _left_for(told, loop, live)) is not None:
            leaving = {loop.head: after}
            nodes |= {n: redirect(nodes[n], lambda f, to=leaving: to.get(f, f)) for n in loop.nodes()}  # type: ignore[misc]
            inside = {n: told.nodes[n] for n in loop.nodes()}
            if not _in_some(inside, loop, decided_by(inside, "clock")):
                supposed[_span_of(inside)] = None
    return replace(body, nodes=nodes) if nodes != body.nodes else body, tuple(supposed)


def _left_for(body: ir.Body, loop: Loop, live: dict[int, frozenset[str]]) -> int | None:
    """Where a loop goes on that is a delay: every turn may be its last, and how many there were is seen nowhere."""
    inside = {n: body.nodes[n] for n in loop.nodes()}
    if not all(_does_nothing(node) for node in inside.values()):
        return None
    after = {f for node in inside.values() for f in ir.successors(node) if f not in inside}
    if len(after) != 1 or not _in_some(inside, loop, decided_by(inside, "clock", "unknown")):
        return None
    (following,) = after
    made = set[str]().union(*(uses_and_definitions(node)[1] for node in inside.values()))
    return None if made & live[following] else following


def _in_some(inside: Mapping[int, ir.Node], loop: Loop, deciding: set[str]) -> bool:
    """Whether every turn of a loop comes to a branch that leaves it, and that some registers alone decide."""
    return any(
        in_every_turn(inside, loop.head, number)
        for number, node in inside.items()
        if isinstance(node, ir.Branch)
        and any(f not in inside for f in ir.successors(node))
        and (names := registers(node.condition))
        and names <= deciding
    )


def _span_of(inside: Mapping[int, ir.Node]) -> Span:
    """A place to name a loop by: its first branch."""
    return next(node.span for _, node in sorted(inside.items()) if isinstance(node, ir.Branch))


def _does_nothing(node: ir.Node) -> bool:
    return not isinstance(node, ir.Do) or isinstance(node.operation, _NOTHING)
