"""Watchdogs: loops that are left for a trap when a clock, or a count of turns, says that it takes too long."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.program import ir, values
from scopec.program.counts import idle
from scopec.program.effects import overwritten, registers
from scopec.program.loops import loops

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span


def not_fired(body: ir.Body) -> tuple[ir.Body, tuple[Span, ...]]:
    """The graph in which no watchdog fires, and where there are some."""
    nodes = dict(body.nodes)
    found: dict[Span, None] = {}
    for loop in loops(body):
        inside = {n: body.nodes[n] for n in loop.nodes()}
        waits = all(idle(inside, node) or _meets(node) for node in inside.values())
        late = _late(inside) if waits else set[str]()
        for number, node in inside.items():
            if (
                not isinstance(node, ir.Branch)
                or not registers(node.condition) <= late
                or not registers(node.condition)
            ):
                continue
            for after, other, stays in ((node.then, node.otherwise, False), (node.otherwise, node.then, True)):
                if after not in inside and other in inside and traps(body, after):
                    nodes[number] = replace(node, condition=values.TRUE if stays else values.FALSE)
                    found[node.span] = None
    return replace(body, nodes=nodes) if found else body, tuple(found)


def _meets(node: ir.Node) -> bool:
    return isinstance(node, ir.Do) and isinstance(node.operation, (ir.SyncThreads, ir.GroupSync))


def _late(inside: Mapping[int, ir.Node]) -> set[str]:
    """The registers of a loop that a clock or a count decides."""
    decided: set[str] = set()
    otherwise: set[str] = set()
    for node in inside.values():
        match node:
            case ir.Do(ir.Decide(target, "unknown" | "timeout")):
                decided.add(target)
            case ir.Do(operation):
                otherwise |= set(overwritten(operation))
            case _:
                pass
    return decided - otherwise


def traps(body: ir.Body, number: int) -> bool:
    """Whether a node leads to a trap, and to no barrier before."""
    work, seen = [number], set[int]()
    while work:
        if (n := work.pop()) in seen:
            continue
        seen.add(n)
        match body.nodes[n]:
            case ir.Do(ir.Trap()):
                continue
            case ir.Exit() | ir.Do(ir.SyncThreads() | ir.GroupSync() | ir.NamedBarrier()):
                return False
            case node:
                work += ir.successors(node)
    return True
