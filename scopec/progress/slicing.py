"""Values that decide something: what a thread does next, where it accesses memory, whether it blocks.

The progress question observes no value, so an object whose values decide nothing need not be in memory, and an access
to it changes nothing that another thread could notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.program import ir
from scopec.program.effects import effects, overwritten
from scopec.program.loops.loops import live_registers
from scopec.program.types import INT
from scopec.program.values import Const
from scopec.progress.steps import touches_memory

if TYPE_CHECKING:
    from scopec.progress.steps import Step, Visible


def deciding_objects(bodies: Iterable[ir.Body]) -> frozenset[str]:
    """The objects whose values some thread's course depends on.

    The least set such that an object is in it if some access reads it for a register that is live, or to wait for it; a
    value that is stored in an object outside the set does not keep a register live.
    """
    accesses = [(body, accessed_objects(body)) for body in bodies]
    found: frozenset[str] = frozenset()
    again = [body for body, objects in accesses if objects]
    while again:
        now = found.union(*(_read(body, live_registers(without_idle_stores(body, found))) for body in again))
        again = [body for body, objects in accesses if not objects.isdisjoint(now - found)]
        found = now
    return found


def accessed(operation: Visible) -> ir.Place | None:
    """The place that an operation reads or writes."""
    return operation.place if isinstance(operation, ir.Access | ir.BarrierOperation) else None


def touched(step: Step) -> ir.Place | None:
    """The place that a step reads or writes: none where it does nothing with what its operation accesses."""
    return accessed(step.operation) if touches_memory(step) else None


def is_idle(operation: ir.Operation, deciding: frozenset[str]) -> bool:
    """Whether an operation accesses an object that decides nothing, so that all it does is to be performed."""
    place = accessed(operation)
    return place is not None and place.object not in deciding


def without_idle_stores(body: ir.Body, deciding: frozenset[str]) -> ir.Body:
    """The graph with accesses to objects that decide nothing as no operation, for liveness."""

    def quiet(node: ir.Node) -> ir.Node:
        if isinstance(node, ir.Do) and is_idle(node.operation, deciding):
            match node.operation:
                case ir.Store() | ir.BarrierInit() | ir.BarrierExpect():
                    return replace(node, operation=ir.Set("%", Const(0, INT)))
                case ir.Load(target, place, mode) | ir.Rmw(target, place, _, mode):
                    return replace(node, operation=ir.Load(target, _somewhere(place), mode))
                case ir.BarrierArrive(target, place, _, mode) | ir.BarrierTest(target, place, _, mode):
                    return replace(node, operation=ir.Load(target, _somewhere(place), mode))
                case _:
                    pass
        return node

    return replace(body, nodes={number: quiet(node) for number, node in body.nodes.items()})


def accessed_objects(body: ir.Body) -> set[str]:
    """The objects that a body reads or writes."""
    operations = (node.operation for node in body.nodes.values() if isinstance(node, ir.Do))
    return {place.object for operation in operations if (place := accessed(operation)) is not None}


def _read(body: ir.Body, live: dict[int, frozenset[str]]) -> set[str]:
    found = set()
    for node in body.nodes.values():
        if not isinstance(node, ir.Do):
            continue
        place, done = accessed(node.operation), effects(node.operation)
        if (
            place is not None
            and done.reads
            and (done.waits or live[node.next].intersection(overwritten(node.operation)))
        ):
            found.add(place.object)
    return found


def _somewhere(place: ir.Place) -> ir.Place:
    return ir.Place(place.object, Const(0, INT))
