"""The end of the process where ``main`` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Iterable


def ended(host: ir.Body, others: Iterable[ir.Thread]) -> ir.Body:
    """The graph of ``main``, with the end of the process where it returns and some other thread may be running."""
    others = tuple(others)
    return _ending(host) if _left(host, others) else host


def _left(host: ir.Body, others: tuple[ir.Thread, ...]) -> bool:
    """Whether some host thread is never joined, so that it may run when ``main`` returns."""
    bodies = (host, *(thread.body for thread in others))
    operations = (node.operation for body in bodies for node in body.nodes.values() if isinstance(node, ir.Do))
    joined = {operation.thread for operation in operations if isinstance(operation, ir.JoinThread)}
    return any(thread.name not in joined for thread in others)


def _ending(host: ir.Body) -> ir.Body:
    nodes: dict[int, ir.Node] = dict(host.nodes)
    ended = {n.next for n in host.nodes.values() if isinstance(n, ir.Do) and isinstance(n.operation, ir.EndProcess)}
    for number, node in host.nodes.items():
        if isinstance(node, ir.Exit) and number not in ended:
            following = max(nodes) + 1
            nodes[following] = node
            nodes[number] = ir.Do(ir.EndProcess(), node.span, following)
    return replace(host, nodes=nodes)
