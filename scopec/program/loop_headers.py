"""A head of its own for each loop: ``for (;;) { while (…); … }`` has two loops, and one first node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scopec.base.graphs import components
from scopec.program import ir
from scopec.program.specialise import redirect
from scopec.program.values import TRUE


def own_heads(body: ir.Body) -> ir.Body:
    """The graph with an empty node in front of each loop whose first node also is that of a loop inside it."""
    nodes, entry = dict(body.nodes), body.entry
    while (shared := _shared(nodes, entry)) is not None:
        head, inner = shared
        front = max(nodes) + 1
        moved = {head: front}
        nodes = {n: node if n in inner else redirect(node, lambda to: moved.get(to, to)) for n, node in nodes.items()}  # noqa: B023
        nodes[front] = ir.Branch(TRUE, nodes[head].span, head, head)
        entry = front if entry == head else entry
    return replace(body, nodes=nodes, entry=entry)


def _shared(nodes: Mapping[int, ir.Node], entry: int) -> tuple[int, set[int]] | None:
    """A node at which a loop and one inside it begin, and where the inner one goes back to it from."""
    before: dict[int, list[int]] = {number: [] for number in nodes}
    for number, node in nodes.items():
        for following in set(ir.successors(node)):
            before[following].append(number)
    for head, sources in before.items():
        if len(sources) < 2:
            continue
        elsewhere = _reached(entry, {n: [f for f in ir.successors(nodes[n]) if f != head] for n in nodes}, head)
        loops = {n: {head, *_reached(n, before, head)} for n in sources if n not in elsewhere}  # natural loops
        inner = min(loops.values(), key=len, default=set[int]())
        if any(inner < outer for outer in loops.values()):
            return head, {n for n, loop in loops.items() if loop <= inner}
    return None


def _reached(start: int, edges: Mapping[int, list[int]], barrier: int) -> set[int]:
    """The nodes that are reached from one without going through another."""
    if start == barrier:
        return set()
    return {n for part in components([start], lambda n: [f for f in edges[n] if f != barrier]) for n in part}
