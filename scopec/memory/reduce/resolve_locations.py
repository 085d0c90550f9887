"""Shrinks large graphs: locations whose accesses the program orders are evaluated and removed.

A location is settled if any two of its accesses, one of them a write, are in the constant order
(:mod:`scopec.memory.reduce.constant_order`), on no path together, or may change places
(:mod:`scopec.memory.reduce.commuting`). Then no execution has a race there, and in each one a read returns the last
write before it: an earlier one is overwritten ("hb ; eco?" has no cycle), a later one happens after it.  The value of
that write replaces the read, and neither the accesses of the location nor the barriers that order them are part of the
question.  The order that barriers give to the events that are left is stated between these.

seq_cst accesses stay, because they have an order of their own; so do synchronisation objects, which are more than their
value.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.memory.events.events import EventGraph, Kind
from scopec.memory.reduce.commuting import Commuting
from scopec.memory.reduce.constant_order import ConstantOrder
from scopec.memory.reduce.substituting import Substituting
from scopec.program import ir, types, values
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from scopec.memory.events.events import Event
    from scopec.memory.events.guards import Guard
    from scopec.program.observe import Location
    from scopec.program.values import Builtin, Reg


class _OpenError(Exception):
    """Raised if it depends on other reads which write a read at ``location`` returns.

    It would be a dependency of whoever uses the value, and is none where what is written elsewhere is not returned.
    """

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        self.location = location


def settled(graph: EventGraph, *, commuting: bool = True) -> EventGraph:
    """A graph with the same answers, and the values of settled locations in it.

    With ``commuting`` those are settled too whose accesses may change places.
    """
    return _until_settled(graph, commuting=commuting)


def addressed(graph: EventGraph) -> EventGraph:
    """The same of a graph with tensor memory, whose addresses are read: mbarriers are settled only where these are."""
    return _until_settled(graph, commuting=False)


def _until_settled(graph: EventGraph, *, commuting: bool) -> EventGraph:
    narrow = True
    while True:
        found = _settle(graph, narrow=narrow, commute=commuting)
        if found is None and not narrow:
            return graph
        narrow = found is not None
        graph = found or graph


def decided(graph: EventGraph) -> frozenset[str]:
    """The objects of which each location is settled in every execution, with all turns of loops."""
    if not all(cut.wait for cut in graph.cuts):
        return frozenset()
    return frozenset(graph.program.objects) - {e.location.object for e in graph.events if e.location}


def _settle(graph: EventGraph, *, narrow: bool, commute: bool) -> EventGraph | None:
    """The graph with the values of more settled locations in it; None if there are no more."""
    barred: set[Location] = set()
    while True:
        settling = _Settling(graph, barred, ConstantOrder(graph, narrow=narrow), commute=commute)
        if not settling.locations:
            return None
        try:
            return settling.graph()
        except _OpenError as open_:
            barred.add(open_.location)


class _Settling:
    """One round: the locations that are settled in the order as it is seen, and the values of their reads."""

    def __init__(self, graph: EventGraph, barred: Collection[Location], order: ConstantOrder, *, commute: bool) -> None:
        self.before = graph
        self.order = order
        accesses: dict[Location, list[Event]] = defaultdict(list)
        for event in graph.events:
            at = event.location
            if at is not None and at not in barred and at not in graph.settled:
                accesses[at].append(event)
        self.commuting = Commuting(graph, order) if commute else None
        #: The results of reads of locations whose writes may change places, and their values at the end.
        self.returned: dict[str | Location, Event] = {}
        self.locations = {at: events for at, events in accesses.items() if self._is_settled(at, events)}
        self.reads = {e.id: e for events in self.locations.values() for e in events if e.kind is Kind.READ}
        self.values: dict[str, Value] = {}
        self._of_guards: dict[int, Value] = {}
        #: Named values in which reads are replaced, once it is known by what; None before.
        self._of_names: dict[int, Value] | None = None

    def _is_settled(self, at: Location, events: Sequence[Event]) -> bool:
        if self.before.program.objects[at.object].use not in (ir.Use.DATA, ir.Use.PASSED):
            return False
        if any(e.order is ir.Order.SEQ_CST or e.failure is ir.Order.SEQ_CST or e.last for e in events):
            return False
        others, free = [e for e in events[1:] if not e.guard.never], False
        before = dict.fromkeys((e.id for e in others), 1)  # the initial write is
        for write in others:
            for e in others if write.writes else ():
                if self.order.ordered(write, e):
                    before[e.id] += 1
                elif e is not write and not (self.order.ordered(e, write) or write.guard.excludes(e.guard)):
                    if self.commuting is None or not self.commuting.commute(write, e):
                        return False
                    free = True
        return not free or self._in_one_order(at, events[0], others, before)

    def _in_one_order(self, at: Location, first: Event, others: Sequence[Event], before: Mapping[str, int]) -> bool:
        """Put writes that may change places in one of their orders; ``before`` is how many come before each access."""
        if self.commuting is None or not self.commuting.may(others):
            return False
        writes = [first, *sorted((e for e in others if e.writes), key=lambda e: before[e.id])]
        for earlier, write in pairwise(writes):
            if write.rmw is not None:
                self.returned[write.rmw] = earlier
        for read in others:
            if read.kind is Kind.READ:
                self.returned.setdefault(read.id, writes[before[read.id] - 1])
        self.returned[at] = writes[-1]
        return True

    # ---- values

    def _chain(self, read: Event | None, at: Location) -> list[Event]:
        """The writes that a read may return, or the last ones: of those that are executed it is the first."""
        one = self.returned.get(at if read is None else read.id)
        if one is not None:
            return [one]
        guard = self.order.graph.events[0].guard.guards.always if read is None else read.guard
        writes = [e for e in self.locations[at] if e.writes and not guard.excludes(e.guard)]
        left = [e for e in writes if read is None or self.order.ordered(e, read)]
        found: list[Event] = []
        while left:
            latest = next(e for e in left if not any(self.order.ordered(e, other) for other in left))
            found.append(latest)
            if guard.implies(latest.guard):
                break
            left.remove(latest)
        return found

    def _of_chain(self, chain: Sequence[Event], guard: Guard, *, known: bool) -> Value:
        """The last of some writes that is executed where ``guard`` holds; if ``known``, it has to be known which."""
        result: Value | None = None
        for event in reversed(chain):
            assert event.value is not None
            value = self.substituted(event.value)
            if result is not None:
                here = self.substituted(event.guard.where(guard).value(self.before.conditions, self._of_guards))
                if known and not isinstance(here, Const):
                    assert event.location is not None
                    raise _OpenError(event.location)
                value = guard.guards.names.short(values.choose(here, value, result))
            result = value
        return result or Const(0, types.INT)  # nobody reads it

    def value(self, read: str) -> Value:
        """The value that a read of a settled location returns."""
        chains: dict[str, list[Event]] = {}
        work = [read]
        while work:
            event = self.reads[work[-1]]
            if event.id in self.values:
                work.pop()
                continue
            if event.id not in chains:
                assert event.location is not None
                chains[event.id] = self._chain(event, event.location)
                needed = [name for name in self._needs(chains[event.id], event.guard) if name not in self.values]
                if any(name in chains for name in needed):
                    assert event.location is not None
                    raise _OpenError(event.location)
                work += needed
                if needed:
                    continue
            self.values[event.id] = self._of_chain(chains[event.id], event.guard, known=True)
            work.pop()
        return self.values[read]

    def _needs(self, chain: Sequence[Event], guard: Guard) -> Iterator[str]:
        """The reads of settled locations that the value of a chain is computed from."""
        found: dict[str, None] = {}
        for n, event in enumerate(chain):
            assert event.value is not None
            parts = [event.value]
            if n < len(chain) - 1:
                parts += (self.before.conditions[c] for c in event.guard.where(guard).conditions)
            found |= {leaf.name: None for part in parts for leaf in values.leaves(part) if leaf.name in self.reads}
        yield from found

    def substituted(self, value: Value) -> Value:
        """A value with what reads of settled locations return in the place of the reads, once that is known."""

        def leaf(reg: Reg | Builtin) -> Value:
            found = self.values.get(reg.name)
            return reg if found is None else values.convert(found, reg.type)

        return values.substitute(value, leaf, self._of_names)

    # ---- the graph

    def graph(self) -> EventGraph:
        """The graph with these values in it."""
        for read in self.reads:
            self.value(read)
        self._of_names = {}
        always = self.before.events[0].guard.guards.always
        ends = {at: self._of_chain(self._chain(None, at), always, known=False) for at in self.locations}
        found = Substituting(self.before, self.substituted, self.values).graph()
        return replace(found, settled={**found.settled, **ends}, carried=self._carried())

    def _carried(self) -> Mapping[str, frozenset[str]]:
        """As :class:`EventGraph` has it, after this round too: what is computed may mention less than what it is of."""
        before, known = self.before, self._carrying()
        if not before.carried and not any(known.values()):
            return {}
        found: dict[str, frozenset[str]] = {}
        for event in before.events:
            if event.id not in self.reads:
                carried = before.carried.get(event.id, frozenset()) | (self._mentioned(event) & known.keys())
                found[event.id] = frozenset[str]().union(*(known.get(name, {name}) for name in carried))
        return {event: reads for event, reads in found.items() if reads}

    def _carrying(self) -> Mapping[str, frozenset[str]]:
        """For each read of a settled location those of others that what it returns is computed from."""
        found: dict[str, frozenset[str]] = {}
        of: dict[str, frozenset[str]] = {}
        work = list(self.reads)
        while work:  # a chain of reads may be long
            read = work[-1]
            event = self.reads[read]
            if read not in of:
                assert event.location is not None
                chain = self._chain(event, event.location)
                writes = (self._mentioned(w) | self.before.carried.get(w.id, frozenset()) for w in chain)
                of[read] = frozenset[str]().union(*writes)
                work += (r for r in of[read] if r in self.reads and r not in of)
                continue
            work.pop()
            found[read] = frozenset[str]().union(
                *(found.get(r, frozenset()) if r in self.reads else {r} for r in of[read])
            )
        return found

    def _mentioned(self, event: Event) -> frozenset[str]:
        """The reads that an event is computed from: what it stores, where, and whether it is there."""
        graph, parts = self.before, [self.before.conditions[n] for n in event.guard.conditions]
        parts += [event.value] if event.value is not None else []
        parts += [graph.addresses[event.id].index] if event.id in graph.addresses else []
        return frozenset(graph.event_of(leaf.name) for part in parts for leaf in values.leaves(part))
