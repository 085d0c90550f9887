"""What matters to threads that may never end: which accesses others can notice, where a thread may be left."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.values import Const
from scopec.progress.build import always_holding
from scopec.progress.counting import counts
from scopec.progress.influence import accessed, deciding_objects
from scopec.progress.reductions import without_assertions
from scopec.progress.system import may_pend

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.expectations import Location
    from scopec.progress.system import System

_BARRIERS = (ir.SyncThreads, ir.GroupSync, ir.NamedBarrier)


@dataclass
class Surroundings:
    """A system, the objects in it whose values decide nothing, and what its threads leave behind for later.

    ``bodies`` are the threads' graphs without assertions that are known, or taken, to hold.  ``mute`` are the objects
    that synchronise nothing either: their accesses need not be in a graph.  ``stops`` tells that nothing is promised to
    anyone, so that each thread may stop anywhere.  ``notifications`` and ``sleeping`` are the events of the `notify`
    and `wait` of atomics; ``queries`` those of queries that are made again and again.
    """

    system: System
    bodies: Mapping[str, ir.Body]
    deciding: frozenset[str]
    mute: frozenset[str]
    valueless: frozenset[str]
    stops: bool
    notifications: list[tuple[str, Location, bool]] = field(default_factory=list)
    sleeping: list[tuple[str, Location, str]] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)

    def fresh(self) -> Surroundings:
        """The same, before any thread has been executed."""
        return replace(self, notifications=[], sleeping=[], queries=[])

    @cached_property
    def taking_part(self) -> frozenset[str]:
        """The threads that the progress model is about."""
        return frozenset(thread.name for thread in self.system.everyone)

    def counts(self, thread: ir.Thread, operation: ir.Operation) -> bool:
        """Whether an operation of a thread counts for [intro.progress.1]."""
        return counts(operation, self.system.program, thread.is_host)

    def may_stop(self, thread: ir.Thread) -> bool:
        """Whether a thread that has started may be owed no further step."""
        if thread.name not in self.taking_part:
            return False
        if self.stops or not self.system.model.keeps_started:
            return True
        return thread.work is ir.Work.COPY or not self.system.readings.host_progress

    def may_pend(self, thread: ir.Thread, operation: ir.Operation) -> bool:
        """Whether a thread may stay in a call although it could return."""
        return (
            bool(self.system.threads)
            and any(thread.name == host.name for host in self.system.hosts)
            and may_pend(operation, self.system.readings)
        )

    def may_wait(self, thread: ir.Thread, operation: ir.Operation) -> bool:
        """Whether a thread may be left in an operation."""
        waits = (*_BARRIERS, ir.JoinThread, ir.DeviceSynchronize, ir.StreamSynchronize, ir.EventSynchronize)
        return isinstance(operation, waits) or self.may_pend(thread, operation)

    def simplified(self, operation: ir.Operation) -> ir.Operation:
        """An access that stores 0 where the value decides nothing."""
        place = accessed(operation)
        if place is None or place.object not in self.valueless:
            return operation
        nothing = Const(0, self.system.program.objects[place.object].type)
        match operation:
            case ir.Store():
                return replace(operation, value=nothing)
            case ir.Rmw():
                return replace(operation, new=nothing)
            case _:
                return operation


def surroundings(system: System, *, own_model: bool, stops: bool = False) -> Surroundings:
    """The surroundings of a system's threads.

    A model of the user's may order by accesses that no document orders by (``own_model``).
    """
    program = system.program
    bodies = {
        thread.name: without_assertions(thread.body, always_holding(thread.body, [thread]), explicit=False)
        for thread in program.threads
    }
    deciding = deciding_objects(bodies.values())
    operations = [node.operation for body in bodies.values() for node in body.nodes.values() if isinstance(node, ir.Do)]
    orders: dict[str, set[ir.Order | None]] = {}
    compared: set[str] = set()
    for operation, name, mode in _accesses(operations):
        orders.setdefault(name, set()).add(ir.Order.RELAXED if mode.volatile and not mode.atomic else mode.order)
        if isinstance(operation, (ir.CompareExchange, ir.Await)):
            compared.add(name)
    # Relaxed accesses synchronise beside fences, and under PTX beside barriers.
    quiet = not any(isinstance(op, (ir.Fence, *_BARRIERS)) for op in operations)
    idle = frozenset(orders) - deciding
    mute = {name for name in idle if orders[name] == {None} or (quiet and orders[name] <= {None, ir.Order.RELAXED})}
    return Surroundings(system, bodies, deciding, frozenset() if own_model else frozenset(mute), idle - compared, stops)


def _accesses(operations: list[ir.Operation]) -> Iterator[tuple[ir.Operation, str, ir.Mode]]:
    for operation in operations:
        place = accessed(operation)
        if place is not None:
            mode: ir.Mode = operation.mode  # type: ignore[union-attr]
            yield operation, place.object, mode
