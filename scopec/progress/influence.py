"""Which values decide anything: what a thread does next, where it accesses memory, whether it blocks.

The progress question observes no value, so an object whose values decide nothing need not be in memory, and an access
to it changes nothing that another thread could notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scopec.program import ir
from scopec.program.loops import live_registers
from scopec.program.types import INT
from scopec.program.values import Const


def deciding_objects(bodies: Iterable[ir.Body]) -> frozenset[str]:
    """The objects whose values some thread's course depends on.

    The least set such that an object is in it if some access reads it for a register that is live, or to wait for it; a
    value that is stored in an object outside the set does not keep a register live.
    """
    bodies = tuple(bodies)
    found: frozenset[str] = frozenset()
    while True:
        now = found.union(*(_read(body, live_registers(without_idle_stores(body, found))) for body in bodies))
        if now == found:
            return found
        found = now


def accessed(operation: ir.Operation) -> ir.Place | None:
    """The place that an operation reads or writes."""
    match operation:
        case (
            ir.Load(place=place)
            | ir.Store(place=place)
            | ir.Rmw(place=place)
            | ir.CompareExchange(place=place)
            | ir.Await(place=place)
        ):
            return place
        case _:
            return None


def is_idle(operation: ir.Operation, deciding: frozenset[str]) -> bool:
    """Whether an operation accesses an object that decides nothing, so that all it does is to be performed."""
    place = accessed(operation)
    return place is not None and place.object not in deciding


def without_idle_stores(body: ir.Body, deciding: frozenset[str]) -> ir.Body:
    """The graph with accesses to objects that decide nothing as no operation, for liveness."""

    def quiet(node: ir.Node) -> ir.Node:
        if isinstance(node, ir.Do) and is_idle(node.operation, deciding):
            match node.operation:
                case ir.Store():
                    return replace(node, operation=ir.Set("%", Const(0, INT)))
                case ir.Load(target, place, mode) | ir.Rmw(target, place, _, mode):
                    somewhere = ir.Place(place.object, Const(0, INT))
                    return replace(node, operation=ir.Load(target, somewhere, mode))
                case _:
                    pass
        return node

    return replace(body, nodes={number: quiet(node) for number, node in body.nodes.items()})


def _read(body: ir.Body, live: dict[int, frozenset[str]]) -> set[str]:
    found = set()
    for node in body.nodes.values():
        if not isinstance(node, ir.Do):
            continue
        match node.operation:
            case ir.Load(target, place, _) | ir.Rmw(target, place, _, _) if target in live[node.next]:
                found.add(place.object)
            case ir.CompareExchange(target, succeeded, place) if {target, succeeded} & live[node.next]:
                found.add(place.object)
            case ir.Await(place=place):
                found.add(place.object)
            case _:
                pass
    return found
