"""Read-modify-writes that commute: nothing shows their order, and each order leaves the same value.

Read-modify-writes commute if they are relaxed, their scopes include each other, they add (or combine by one operator)
operands that do not depend on the location, and nobody uses their results.  Their order could still be shown by fences
around them, which would synchronise ("the atomic operations ... synchronize with", [atomics.fences]): so a fence before
one must be ordered before those after another by the program alone.  Nor may anything be seq_cst: its order could
show that of these.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from scopec.memory.events.events import Event, EventGraph, Kind
from scopec.memory.events.rewriting import beside_events
from scopec.memory.events.scopes import inclusive
from scopec.program import ir, values
from scopec.program.values import Binary, Reg

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scopec.memory.reduce.constant_order import ConstantOrder
    from scopec.program.values import Value

#: Operators with "(x op a) op b = (x op b) op a", by the family in which also different ones are exchanged.
_FAMILIES = {"+": "+", "-": "+", "&": "&", "|": "|", "^": "^", "min": "min", "max": "max"}
#: Between more fences than these no order is looked for.
_MOST_PAIRS = 1 << 18
#: The version of the CUDA document whose scopes include least.
_STRICTEST = 2


class Commuting:
    """The read-modify-writes of a graph that may change places; ``order`` is the order that the program decides."""

    def __init__(self, graph: EventGraph, order: ConstantOrder) -> None:
        self.graph = graph
        self.order = order
        self.threads = {t.name: t for t in graph.program.threads}

    def commute(self, one: Event, other: Event) -> bool:
        """Whether two accesses to a location are parts of operations that may change places."""
        family = self.families.get(one.id)
        alike = family is not None and family == self.families.get(other.id)
        return alike and inclusive(one, other, self.threads, _STRICTEST)

    def may(self, events: Iterable[Event]) -> bool:
        """Whether those of all accesses to a location may: all are always there, and no fence tells an order."""
        if not all(e.guard.always and not e.operands for e in events):
            return False
        writes = [e for e in events if e.id in self.families and e.writes]
        before = {f.id: f for e in writes for f in self._fences(e, -1)}
        after = {f.id: f for e in writes for f in self._fences(e, 1)}
        if len(before) * len(after) > _MOST_PAIRS:
            return False
        return all(f.thread == g.thread or self.order.before(f, g) for f, g in product(before.values(), after.values()))

    @cached_property
    def families(self) -> dict[str, object]:
        """For the two halves of each operation that may change places with others, with which."""
        graph = self.graph
        if any(ir.Order.SEQ_CST in (e.order, e.failure) for e in graph.events):
            return {}
        found: dict[str, object] = {}
        for write in graph.events:
            if write.kind is Kind.WRITE and write.rmw is not None and not write.agent:
                read = graph.by_id[write.rmw]
                match write.value:
                    case Binary(op, Reg(name), other, type_) if name == read.id and op in _FAMILIES:
                        relaxed = write.order is read.order is ir.Order.RELAXED and read.success is None
                        place = write.scope is not ir.Scope.SYSTEM and not self.threads[write.thread].is_host
                        used = read.id in self._used or any(leaf.name == read.id for leaf in values.leaves(other))
                        if relaxed and place and not used:
                            found[write.id] = found[read.id] = _FAMILIES[op], type_
        return found

    @cached_property
    def _used(self) -> frozenset[str]:
        """The reads whose results something is computed from, but for what their own operation adds to them."""
        return frozenset(leaf.name for value in computed(self.graph) for leaf in values.leaves(value))

    def _fences(self, event: Event, step: int) -> Iterator[Event]:
        """The fences of a thread before or after an event, up to one that is always there."""
        own = self.order.threads[event.thread]
        at = self._position[event.id] + step
        while 0 <= at < len(own):
            if own[at].kind in (Kind.FENCE, Kind.WAIT):
                yield own[at]
                if own[at].guard.always and not own[at].operands:
                    return
            at += step

    @cached_property
    def _position(self) -> dict[str, int]:
        return {e.id: n for own in self.order.threads.values() for n, e in enumerate(own)}


def computed(graph: EventGraph) -> Iterator[Value]:
    """All values of a graph; of a read-modify-write that combines with what it reads only what it combines."""
    for event in graph.events:
        match event.value:
            case Binary(op, Reg(name), other) if name == event.rmw and op in _FAMILIES:
                yield other
            case None:
                pass
            case value:
                yield value
    yield from beside_events(graph)
