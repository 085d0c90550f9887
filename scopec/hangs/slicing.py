"""The slice of a program that decides whether its threads end: no other thread can notice the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import ir
from scopec.program.constants import always_holding
from scopec.program.program import Program
from scopec.program.values import Const
from scopec.progress.idle_branches import without_idle_branches
from scopec.progress.reductions import without_assertions
from scopec.progress.slicing import accessed, deciding_objects

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Operations that join threads, and are fences to the PTX model.
BARRIERS = (ir.SyncThreads, ir.GroupSync, ir.NamedBarrier)


@dataclass(frozen=True)
class Slice:
    """The part of a program that decides whether its threads end.

    ``bodies`` are the threads' graphs without assertions that are known, or taken, to hold; ``deciding`` the objects
    whose values some thread's course depends on.  ``mute`` are those that synchronise nothing either: their accesses
    need not be in a graph.  Of ``valueless`` objects the accesses may matter, and the values do not.
    """

    program: Program
    bodies: Mapping[str, ir.Body]
    deciding: frozenset[str]
    mute: frozenset[str]
    valueless: frozenset[str]

    def simplified(self, operation: ir.Operation) -> ir.Operation:
        """An access that stores 0 where the value decides nothing."""
        place = accessed(operation)
        if place is None or place.object not in self.valueless:
            return operation
        nothing = Const(0, self.program.objects[place.object].type)
        match operation:
            case ir.Store():
                return replace(operation, value=nothing)
            case ir.Rmw():
                return replace(operation, new=nothing)
            case _:
                return operation


def sliced(program: Program, *, mute: bool = True, branches: bool = False) -> Slice:
    """The slice of a program; without ``mute`` any access does: a model may order by what no document orders by.

    With ``branches``, of which a model may make dependencies, those both of whose ways are the same stay.
    """
    bodies = {
        thread.name: without_assertions(thread.body, always_holding(thread.body, [thread]), explicit=False)
        for thread in program.threads
    }
    if not branches:
        bodies = {name: without_idle_branches(body) for name, body in bodies.items()}
    deciding = deciding_objects(bodies.values())
    operations = [node.operation for body in bodies.values() for node in body.nodes.values() if isinstance(node, ir.Do)]
    orders: dict[str, set[ir.Order | None]] = {}
    compared: set[str] = set()
    for operation, name, mode in _accesses(operations):
        orders.setdefault(name, set()).add(ir.Order.RELAXED if mode.volatile and not mode.atomic else mode.order)
        if isinstance(operation, (ir.CompareExchange, ir.Await)):
            compared.add(name)
    # Relaxed accesses synchronise beside fences, and under PTX beside barriers.
    quiet = not any(isinstance(op, (ir.Fence, *BARRIERS)) for op in operations)
    idle = frozenset(orders) - deciding
    silent = {name for name in idle if orders[name] == {None} or (quiet and orders[name] <= {None, ir.Order.RELAXED})}
    return Slice(program, bodies, deciding, frozenset(silent) if mute else frozenset(), idle - compared)


def _accesses(operations: list[ir.Operation]) -> Iterator[tuple[ir.Operation, str, ir.Mode]]:
    for operation in operations:
        if isinstance(operation, ir.Access):
            yield operation, operation.place.object, operation.mode
