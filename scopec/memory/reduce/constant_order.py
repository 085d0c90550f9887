"""The order that the program alone decides: program order, and unconditional additional synchronises-with.

What comes before the issue of an asynchronous copy comes before its accesses, and these before the waits that surely
find it complete; nothing leads through it.  Accesses through different proxies need more than an order.

Of a graph with thousands of events the order is not written down pair by pair.  Events that synchronise are grouped by
the edges that they begin or end, a bit of a mask each; one event comes before another of another thread if some edge
that begins at it or after it leads to one that ends at the other or before it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.base.graphs import components
from scopec.memory.events.events import Kind, unsequenced
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scopec.memory.events.events import Event, EventGraph, Synchronises
    from scopec.memory.events.guards import Guard

#: More contexts of guards than these are not looked at: events are then taken to be in no order.
MOST_PATHS = 64


class ConstantOrder:
    """The constant order of a graph; ``edges`` are all of its additional synchronises-with but that of initial values.

    Those with a condition order nothing by themselves; they are numbered with the others, for those who ask what leads
    to one.  If ``narrow``, only what is executed in every execution lies between two events.
    """

    def __init__(self, graph: EventGraph, *, narrow: bool = False) -> None:
        self.graph = graph
        self.narrow = narrow
        initial = {e.id for e in graph.events if e.kind is Kind.INIT}
        self.edges: Sequence[Synchronises] = [e for e in graph.asw if e.before[0] not in initial]
        self.conditional = sum(1 << n for n, edge in enumerate(self.edges) if edge.when is not None)
        self.position = {e.id: n for n, e in enumerate(graph.events)}
        self.begins: dict[str, int] = defaultdict(int)
        self.ends: dict[str, int] = defaultdict(int)
        for number, edge in enumerate(self.edges):
            for begin in edge.before:
                self.begins[begin] |= 1 << number
            for end in edge.after:
                self.ends[end] |= 1 << number
        self.threads: dict[str, list[Event]] = defaultdict(list)
        for event in graph.events:
            if event.thread and not event.agent:
                self.threads[event.thread].append(event)
        #: For each access of a copy the waits that surely find it complete.
        self.waits: dict[str, list[Event]] = defaultdict(list)
        for edge in graph.done:
            if edge.when is None:
                found = [e for e in map(graph.by_id.__getitem__, edge.after) if e.guard.always]
                for name in edge.before:
                    self.waits[name] += found
        self._fences = [e for e in graph.events if e.kind is Kind.PROXY_FENCE and e.guard.always]
        self._of = {t.name: t for t in graph.program.threads}
        self._contexts: dict[int, PathContext] = {}

    def before(self, one: Event, other: Event) -> bool:
        """Whether an event comes before another wherever both are executed, as far as this is seen."""
        if one.kind is Kind.INIT or other.kind is Kind.INIT:
            return one.kind is Kind.INIT and other.kind is not Kind.INIT
        if one.agent or other.agent:
            return self._of_copies(one, other)
        if one.thread == other.thread:
            return self.position[one.id] < self.position[other.id] and not unsequenced(one, other)
        around = self._where(one.guard & other.guard)
        return around is not None and around.before(one, other)

    def _of_copies(self, one: Event, other: Event) -> bool:
        """The same where one of them is an access of a copy."""
        if one.agent == other.agent:
            return False
        sources = self.waits.get(one.id, ()) if one.agent else (one,)
        issue = self.graph.by_id[other.agent] if other.agent else other
        return any(source is issue or self.before(source, issue) for source in sources)

    def ordered(self, one: Event, other: Event) -> bool:
        """Whether an access to a location comes before another one, which sees what it has done."""
        return self.before(one, other) and self._connected(one, other)

    def _connected(self, one: Event, other: Event) -> bool:
        """Whether a proxy fence is between two accesses, one before the other, or none is needed.

        None is behind the completion of a copy, within a proxy (the asynchronous one: in a block), and from one grid to
        another, or to the host: what orders these is a launch or a completion, which is so for all proxies.
        A fence of the thread of the first, behind it, in the block of both, covers it under every reading.
        """
        if one.kind is Kind.INIT:
            return True
        if self.graph.in_tensor_memory(one):
            return False
        if not (_asynchronous(one) or _asynchronous(other)):
            return True
        before, after = self._of[one.thread], self._of[other.thread]
        if before.grid != after.grid:
            return True
        alike = before.block_name == after.block_name
        if _asynchronous(one) and not (_asynchronous(other) and ir.Proxy.EITHER in (one.proxy, other.proxy)):
            return alike or not _asynchronous(other)
        assert one.location is not None
        shared = self.graph.program.objects[one.location.object].storage is ir.Storage.SHARED
        space = ir.Storage.SHARED if shared else ir.Storage.DEVICE
        fences = (f for f in self._fences if f.thread == one.thread and f.space in (None, space))
        return alike and any(self.before(one, f) and self.before(f, other) for f in fences)

    def may_connect(self, one: Event, other: Event) -> bool:
        """Whether some reading may take two accesses, one before the other, to be connected: by a fence on some way."""
        either = ir.Proxy.EITHER in (one.proxy, other.proxy) or self.graph.in_tensor_memory(one)
        if either or self._connected(one, other):
            return True
        return any(self.before(one, f) and self.before(f, other) for f in self._fences)

    def _where(self, guard: Guard) -> PathContext | None:
        guard = guard.guards.always if self.narrow else guard
        if guard.node not in self._contexts and len(self._contexts) < MOST_PATHS:
            self._contexts[guard.node] = PathContext(self, guard, self.conditional)
        return self._contexts.get(guard.node)


def _asynchronous(event: Event) -> bool:
    return event.proxy in (ir.Proxy.ASYNC, ir.Proxy.EITHER)


class PathContext:
    """The order of events through others that are executed wherever ``guard`` holds.

    The edges of ``conditional`` lead nowhere by themselves, but it is told what leads to them, and where from there.
    """

    def __init__(self, order: ConstantOrder, guard: Guard, conditional: int) -> None:
        self.conditional = conditional
        implied: dict[int, bool] = {}

        def through(event: Event, edges: int) -> int:
            """The edges that go on through an event."""
            node = event.guard.node
            if node not in implied:
                implied[node] = event.guard.always or guard.implies(event.guard)
            return edges if implied[node] and not event.operands else edges & conditional

        #: For each event the edges that end at it or before it in its thread, and those that begin at it or after it.
        self.entered: dict[str, int] = {}
        self.left: dict[str, int] = {}
        joined: set[tuple[int, int]] = set()
        for events in order.threads.values():
            seen = coming = 0
            for event in events:
                ends = order.ends.get(event.id, 0)
                self.entered[event.id] = seen | ends
                seen |= through(event, ends)
                if begins := through(event, order.begins.get(event.id, 0)):
                    joined.add((seen, begins))
            for event in reversed(events):
                begins = order.begins.get(event.id, 0)
                self.left[event.id] = coming | begins
                coming |= through(event, begins)
        self._reach = _closed(len(order.edges), joined, conditional)
        self._reached: dict[int, int] = {}

    def before(self, one: Event, other: Event) -> bool:
        """Whether an event comes before one of another thread."""
        return bool(self.reached(self.left[one.id]) & self.entered[other.id] & ~self.conditional)

    def reached(self, edges: int) -> int:
        """The edges that some edges lead to, themselves included."""
        if edges not in self._reached:
            found = 0
            for number in bits(edges):
                found |= 1 << number if self.conditional >> number & 1 else self._reach[number]
            self._reached[edges] = found
        return self._reached[edges]

    def after(self, edge: int) -> int:
        """The edges that one edge leads to, itself included, whether or not it has a condition."""
        return self._reach[edge]


def _closed(count: int, joined: Iterable[tuple[int, int]], conditional: int) -> list[int]:
    """The edges that each edge leads to, itself included, where those of a first mask lead to those of a second one."""
    after = [1 << n for n in range(count)]
    for entered, begins in joined:
        for number in bits(entered):
            after[number] |= begins
    reach = list(after)
    for group in reversed(components(range(count), lambda n: list(bits(after[n] & ~(1 << n | conditional))))):
        inside, found = 0, 0
        for number in group:
            inside |= 1 << number
            found |= after[number]
        left = found & ~(inside | conditional)
        while left:  # what one of them leads to, those after it have been asked for already
            further = reach[(left & -left).bit_length() - 1]
            found |= further
            left &= ~further
        for number in group:
            reach[number] = found
    return reach


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits of a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
