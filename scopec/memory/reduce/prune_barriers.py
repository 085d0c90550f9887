"""Removes accesses to resolved locations, and barriers that then order nothing.

The order that a barrier gives to the events that are left is stated between these: those before it precede those after
it.  A conditional barrier orders on its own paths only; one arrival is kept for each conditional barrier that leads to
it, because an order through both holds only where both are there.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.memory.events.events import Event, EventGraph, Kind, Synchronises
from scopec.memory.events.rewriting import of_events
from scopec.memory.reduce.constant_order import ConstantOrder, PathContext

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from scopec.memory.events.guards import Guard
    from scopec.program import ir

_MEETING = (Kind.ARRIVE, Kind.WAIT, Kind.CALL)
#: Fences that matter where copies do.
_FENCES = (Kind.PROXY_FENCE, Kind.INIT_FENCE, Kind.TENSOR_BEFORE, Kind.TENSOR_AFTER)


def condensed(graph: EventGraph) -> EventGraph:
    """A graph without the accesses to settled locations: no other value is computed from what they return."""
    return _Condensing(graph).graph()


class _Condensing:
    def __init__(self, graph: EventGraph) -> None:
        self.before = graph
        self.order = ConstantOrder(graph)
        self.guarded: dict[int, Guard] = {}
        whole: set[str] = {e for edge in graph.issue for e in (*edge.before, *edge.after)}
        there = {e.agent for e in graph.events if e.agent and e.location not in graph.settled and not e.guard.never}
        self.copies = frozenset(e.id for e in graph.events if e.agent in there)
        whole |= there
        whole |= {e for edge in graph.done if self.copies & {*edge.before} for e in edge.after}
        whole |= {e.id for e in graph.events if there and e.kind in _FENCES}
        whole |= {c.of for c in graph.choices.values() if c.of in graph.by_id and graph.by_id[c.of].location is None}
        for number, edge in enumerate(self.order.edges):
            met = [e for e in map(graph.by_id.__getitem__, (*edge.before, *edge.after)) if e.kind in _MEETING]
            guards = {e.guard.node: e.guard for e in met}
            if edge.when is not None or (len(guards) > 1 and edge.barrier):
                whole |= {e.id for e in met}
            elif edge.barrier and not all(e.guard.always for e in met):
                self.guarded[number] = met[0].guard
            elif not edge.barrier:
                whole |= {e.id for e in met if e.kind is Kind.CALL and not e.guard.always}
        self.whole = frozenset(whole)
        conditional = self.order.conditional | sum(1 << n for n in self.guarded)
        self.around = PathContext(self.order, graph.events[0].guard.guards.always, conditional)

    def graph(self) -> EventGraph:
        graph = self.before
        kept = self._kept()
        events = [e for e in graph.events if e.id in kept]
        return of_events(graph, kept, self._edges(events))

    def _kept(self) -> frozenset[str]:
        """The events that are left."""
        there = [e for e in self.before.events if not e.guard.never]
        accesses = [e for e in there if e.location is not None and e.location not in self.before.settled]
        kept = {e.id for e in accesses} | self._passages() | (self.whole & {e.id for e in there})
        accessing = {e.thread for e in accesses}
        strong = {e.thread for e in accesses if e.atomic or e.volatile}
        # Of fences of a block that are between the same barriers in threads without accesses one is like the other.
        alike: dict[object, str] = {}
        for event in there:
            # Waiting at a barrier is a fence to PTX.
            if event.thread in (strong if event.kind is Kind.WAIT else accessing if event.kind is Kind.FENCE else ()):
                kept.add(event.id)
            elif event.kind is Kind.FENCE and any(accessing):
                thread = self.threads[event.thread]
                place = (thread.block_name, thread.is_host and thread.name, event.order, event.scope, event.guard.node)
                between = (self.around.left[event.id], self.around.entered[event.id])
                kept.add(alike.setdefault((place, between), event.id))
        return frozenset(kept)

    @cached_property
    def threads(self) -> Mapping[str, ir.Thread]:
        """Threads by name."""
        return {t.name: t for t in self.before.program.threads}

    @cached_property
    def _leads(self) -> Mapping[int, int]:
        """For each barrier that is there on some paths what it leads to, through no other such barrier."""
        others = self.around.conditional
        return {n: (self.around.after(n) & ~others) | 1 << n for n in self.guarded}

    def _passages(self) -> set[str]:
        """Arrivals at barriers that are there on some paths: all the others of these that lead there lead to one."""
        before: dict[int, int] = {}
        kept: set[str] = set()
        for number in self.guarded:
            seen = 0
            for event in self.order.edges[number].before:
                entered = self.around.entered[event]
                if entered not in before:
                    before[entered] = sum(1 << n for n, leads in self._leads.items() if leads & entered)
                if before[entered] & ~seen:
                    seen |= before[entered]
                    kept.add(event)
        return kept

    def _edges(self, events: Collection[Event]) -> Iterator[Synchronises]:
        """The synchronisation among events that are left."""
        initial = tuple(e.id for e in events if e.kind is Kind.INIT)
        rest = [e for e in events if e.kind is not Kind.INIT]
        if initial and rest:
            yield Synchronises(initial, tuple(e.id for e in rest), "initial values")
        rest = [e for e in rest if not e.agent]
        ids = {e.id for e in rest}
        left = {e.id: self.around.reached(self.around.left[e.id]) for e in rest}
        found: list[Synchronises] = []
        for number, edge in enumerate(self.order.edges):
            when, barrier = edge.when, edge.barrier
            if when is not None:
                before, after = (tuple(e for e in side if e in ids) for side in (edge.before, edge.after))
            else:
                ends = 1 << number
                if number in self.guarded:
                    ends, barrier = self._leads[number], False
                    when = self.guarded[number].value(self.before.conditions)
                before = tuple(e.id for e in rest if left[e.id] >> number & 1)
                after = tuple(e.id for e in rest if self.around.entered[e.id] & ends)
            if before and after:
                found.append(
                    replace(
                        edge, before=before, after=after, when=when, barrier=barrier, of_all=edge.of_all and barrier
                    )
                )
        yield from _largest(found)


def _largest(edges: Collection[Synchronises]) -> Iterator[Synchronises]:
    """The edges without those that say no more than another without a condition."""
    kept: list[tuple[frozenset[str], frozenset[str]]] = []
    for edge in sorted(edges, key=lambda e: (e.when is not None, -len(e.before) * len(e.after))):
        before, after = frozenset(edge.before), frozenset(edge.after)
        if not any(before <= b and after <= a for b, a in kept):
            if edge.when is None:
                kept.append((before, after))
            yield edge
