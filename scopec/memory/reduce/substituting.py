"""Puts values in the place of reads of an event graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.memory.events.rewriting import Rewrite
from scopec.memory.unfold.unfolding import Unfolding
from scopec.program import values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    from scopec.memory.events.events import EventGraph
    from scopec.memory.events.guards import Guard
    from scopec.program.values import Value


class Substituting:
    """A graph with other values: conditions are numbered anew, and equal ones are one."""

    def __init__(self, graph: EventGraph, substituted: Callable[[Value], Value], known: Mapping[str, Value]) -> None:
        self.before = graph
        self.substituted = substituted
        self.known = known
        self.out = Unfolding(graph.program)
        never, always = self.out.guards.never, self.out.guards.always
        self._guards: dict[int, Guard] = {never.node: never, always.node: always}
        self._conditions: dict[int, Guard] = {}

    def graph(self) -> EventGraph:
        """All events, those that are on no path too."""
        self._number_conditions()
        graph = Rewrite(self.guard, self.substituted).graph(self.before, lambda: self.out.conditions)
        return replace(graph, control={event: self._reads(reads) for event, reads in graph.control.items()})

    def guard(self, guard: Guard) -> Guard:
        """A guard over the new conditions."""
        parts = list(guard.nodes(self._guards))
        self._number({number for _, number, _, _ in parts})
        for node, number, low, high in parts:
            here = self._conditions[number]
            if here.always or here.never:
                self._guards[node] = self._guards[high if here.always else low]
            else:
                self._guards[node] = here.choose(self._guards[high], self._guards[low])
        return self._guards[guard.node]

    def _number_conditions(self) -> None:
        """Keep the order of conditions: then a guard is made node by node, and else of conjunctions of whole guards."""
        seen: set[int] = set()
        found: set[int] = set()
        for event in self.before.events:
            for node, number, _, _ in event.guard.nodes(seen):
                seen.add(node)
                found.add(number)
        self._number(found)

    def _number(self, conditions: AbstractSet[int]) -> None:
        for number in sorted(conditions - self._conditions.keys()):
            self._conditions[number] = self.out.literal(self.substituted(self.before.conditions[number]))

    def _reads(self, reads: frozenset[str]) -> frozenset[str]:
        """The reads that are left of those that decided something."""
        found = {r for r in reads if r not in self.known}
        for read in reads - found:
            found |= {self.before.event_of(leaf.name) for leaf in values.leaves(self.known[read])}
        return frozenset(found)
