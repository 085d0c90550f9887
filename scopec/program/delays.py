"""Delays: loops that do nothing and are left when a clock, or another value that is not modelled, says so.

``while (clock64() - start < cycles);`` is gone round for some time, and so is an iteration of floating-point numbers.
"The implementation may assume that any thread will eventually" end or do something ([intro.progress]/1): a program
without an end of such a loop has no meaning, and what its values are is not known here.  So they end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.effects import registers, uses_and_definitions
from scopec.program.loop_headers import in_every_turn
from scopec.program.loops import Loop, live_registers, loops
from scopec.program.specialise import redirect

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: What neither memory nor another thread notices.
_NOTHING = (ir.Set, ir.Yield, ir.Decide, ir.Operand, ir.Called)


def passed(body: ir.Body, observed: frozenset[str] = frozenset()) -> ir.Body:
    """The graph in which each delay has one turn; the ``observed`` registers matter at its end."""
    nodes = dict(body.nodes)
    live = live_registers(body, observed)
    for loop in loops(body):
        if (after := _left_for(body, loop, live)) is not None:
            leaving = {loop.head: after}
            nodes |= {n: redirect(nodes[n], lambda f, to=leaving: to.get(f, f)) for n in loop.nodes()}  # type: ignore[misc]
    return replace(body, nodes=nodes) if nodes != body.nodes else body


def _left_for(body: ir.Body, loop: Loop, live: dict[int, frozenset[str]]) -> int | None:
    """Where a loop goes on that is a delay: every turn may be its last, and how many there were is seen nowhere."""
    inside = {n: body.nodes[n] for n in loop.nodes()}
    if not all(_does_nothing(node) for node in inside.values()):
        return None
    after = {f for node in inside.values() for f in ir.successors(node) if f not in inside}
    if len(after) != 1 or not any(in_every_turn(inside, loop.head, n) for n in _by_what_is_unknown(inside)):
        return None
    (following,) = after
    made = set[str]().union(*(uses_and_definitions(node)[1] for node in inside.values()))
    return None if made & live[following] else following


def _by_what_is_unknown(inside: Mapping[int, ir.Node]) -> Iterator[int]:
    """The nodes of a loop where a value that is not modelled decides whether to leave it."""
    unknown: set[str] = set()
    known: set[str] = set()
    for node in inside.values():
        match node:
            case ir.Do(ir.Decide(target, "unknown")):
                unknown.add(target)
            case _:
                known |= uses_and_definitions(node)[1]
    for number, node in inside.items():
        if isinstance(node, ir.Branch) and any(f not in inside for f in ir.successors(node)):
            names = registers(node.condition)
            if names and names <= unknown - known:
                yield number


def _does_nothing(node: ir.Node) -> bool:
    return not isinstance(node, ir.Do) or isinstance(node.operation, _NOTHING)
