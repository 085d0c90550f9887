"""Removes dead assignments, and each check that the next check implies."""

from __future__ import annotations

from scopec.base.records import replace
from scopec.program import ir
from scopec.program.effects import uses_and_definitions
from scopec.program.reasoning import says_more


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

        def after(number_: int, dead: dict[int, int] = dead) -> int:
            seen = set()
            while number_ in dead and number_ not in seen:
                seen.add(number_)
                number_ = dead[number_]
            return number_

        body = replace(body, entry=after(body.entry))
        kept_nodes: dict[int, ir.Node] = {}
        for n, node in nodes.items():
            if n in dead and after(n) != n:
                continue
            match node:
                case ir.Do():
                    kept_nodes[n] = replace(node, next=after(node.next))
                case ir.Branch():
                    kept_nodes[n] = replace(node, then=after(node.then), otherwise=after(node.otherwise))
                case ir.Exit():
                    kept_nodes[n] = node
        if len(kept_nodes) == len(nodes):
            return replace(body, nodes=kept_nodes)
        nodes = kept_nodes


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
