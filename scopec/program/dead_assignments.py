"""Removes dead assignments, and each check that the next check implies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.program import ir
from scopec.program.effects import uses_and_definitions
from scopec.program.loops.loops import live_registers, registers_of
from scopec.program.reasoning import says_more
from scopec.program.specialise import redirect

if TYPE_CHECKING:
    from collections.abc import Mapping


def without_unread(body: ir.Body) -> ir.Body:
    """The graph without registers that nobody reads, but the variables of the source, and without needless checks."""
    nodes = dict(body.nodes)
    while True:
        used: set[str] = set(body.variables)
        for node in nodes.values():
            used |= uses_and_definitions(node)[0]
        dead = {
            n: node.next
            for n, node in nodes.items()
            if isinstance(node, ir.Do) and _is_needless(node, nodes.get(node.next), used)
        }
        if not dead:
            return replace(body, nodes={n: _asking(node, used) for n, node in nodes.items()})

        body = without_nodes(body, dead)
        if len(body.nodes) == len(nodes):
            return body
        nodes = dict(body.nodes)


def without_idle(body: ir.Body, observed: frozenset[str]) -> ir.Body:
    """The graph without assignments that decide nothing: a number that is read only to compute it anew.

    Of the ``observed`` registers each counts at the end.  One that reads what may have no value stays: that is told.
    """
    facts = registers_of(body)
    live = live_registers(body, observed, facts=facts)
    unset = live_registers(body, strong=False, facts=facts)[body.entry]
    return without_nodes(
        body,
        {
            n: node.next
            for n, node in body.nodes.items()
            if isinstance(node, ir.Do)
            and isinstance(node.operation, ir.Set)
            and node.operation.target not in live[node.next]
            and not facts[n][0] & unset
        },
    )


def without_nodes(body: ir.Body, dead: Mapping[int, int]) -> ir.Body:
    """The graph without some operations, each given with where it goes on; one that only goes round to itself stays."""

    def after(number: int) -> int:
        seen = set()
        while number in dead and number not in seen:
            seen.add(number)
            number = dead[number]
        return number

    kept = {n: redirect(node, after) for n, node in body.nodes.items() if n not in dead or after(n) == n}
    return replace(body, nodes=kept, entry=after(body.entry))


def _asking(node: ir.Node, used: set[str]) -> ir.Node:
    """The node, an arrival that asks how many are pending only where somebody wants to know."""
    match node:
        case ir.Do(ir.BarrierArrive(pending=pending) as arrival) if pending and pending not in used:
            return replace(node, operation=replace(arrival, pending=""))
        case _:
            return node


def _is_needless(node: ir.Do, following: ir.Node | None, used: set[str]) -> bool:
    match node.operation, following:
        case ir.Set(target), _:
            return target not in used
        case ir.Assert(weak, implicit=True), ir.Do(ir.Assert(strong, implicit=True)):
            return says_more(strong, weak)
        case _:
            return False
