"""Warps that come to a barrier of their block again before it is reset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.effects import effects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Span
    from scopec.program.program import Program
    from scopec.program.values import Value


def barriers_again(program: Program) -> Iterator[tuple[Span, str, tuple[Value, ...]]]:
    """Arrivals that a thread does not wait for, after which it comes there again: the place, the thread, the barrier.

    "The arrival count for the barrier is incremented by the warp size (not the number of active threads in the warp)"
    (PTX ISA, "bar"): the warp counts twice in one phase.  Between the two it waits for nothing and reads nothing, so
    that no other thread can have its way in between; where it does, nothing is said.
    """
    told: set[Span] = set()
    for thread in program.threads:
        nodes = thread.body.nodes
        for number, node in nodes.items():
            arrival = node.operation if isinstance(node, ir.Do) else None
            if not isinstance(arrival, ir.NamedBarrier) or not arrival.warps or arrival.waits:
                continue
            for span in _next(thread.body, number, arrival):
                if span not in told:
                    told.add(span)
                    yield span, thread.name, arrival.name


def _next(body: ir.Body, number: int, arrival: ir.NamedBarrier) -> Iterator[Span]:
    """The places at which a thread comes to a barrier again, with nothing in between that it might wait at."""
    left, seen = list(ir.successors(body.nodes[number])), {number}
    while left:
        at = left.pop()
        if at in seen:
            continue
        seen.add(at)
        node = body.nodes[at]
        if isinstance(node, ir.Do):
            operation = node.operation
            if isinstance(operation, ir.NamedBarrier):
                if operation.name == arrival.name:
                    yield node.span
                    continue
                if operation.waits:
                    continue
            elif isinstance(operation, ir.SyncThreads) or effects(operation).reads:
                continue
        left += ir.successors(node)
