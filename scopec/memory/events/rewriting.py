"""Rewriting of event graphs: other guards and values in every part that has some, or fewer events.

A field that :class:`~scopec.memory.events.events.EventGraph` gets is rewritten here, and by that in every pass.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from scopec.base.records import dataclass, replace
from scopec.memory.events.events import Final, Kind
from scopec.program import values

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from scopec.memory.events.events import Assertion, Cut, Event, EventGraph, Selection, Synchronises, Wait
    from scopec.memory.events.guards import Guard
    from scopec.program.values import Value


def _guard_as_it_is(guard: Guard) -> Guard:
    return guard


def _value_as_it_is(value: Value) -> Value:
    return value


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewriting of each guard and of each value."""

    guard: Callable[[Guard], Guard] = _guard_as_it_is
    value: Callable[[Value], Value] = _value_as_it_is

    def event(self, event: Event) -> Event:
        """An event; the same one if nothing changes."""
        guard, success = self.guard(event.guard), self._maybe(event.success)
        value = None if event.value is None else self.value(event.value)
        if _same(guard, event.guard) and _same(success, event.success) and value is event.value:
            return event
        return replace(event, guard=guard, success=success, value=value)

    def assertions(self, assertions: Iterable[Assertion]) -> Iterator[Assertion]:
        """Assertions, without implicit ones that hold or are on no path."""
        for one in assertions:
            guard, condition = self.guard(one.guard), self.value(one.condition)
            if not (one.implicit and (guard.never or condition == values.TRUE)):
                yield replace(one, guard=guard, condition=condition)

    def cuts(self, cuts: Iterable[Cut]) -> Iterator[Cut]:
        """Cuts, without those that are on no path."""
        for one in cuts:
            if not (guard := self.guard(one.guard)).never:
                yield replace(one, guard=guard, counted=self._maybe(one.counted), queries=self._maybe(one.queries))

    def wait(self, wait: Wait) -> Wait:
        """A wait."""
        return replace(
            wait, reached=self.guard(wait.reached), passed=self.guard(wait.passed), again=self._maybe(wait.again)
        )

    def selection(self, selection: Selection) -> Selection:
        """The index that an access reaches."""
        return replace(selection, index=self.value(selection.index), guard=self.guard(selection.guard))

    def graph(self, graph: EventGraph, conditions: Callable[[], Sequence[Value]]) -> EventGraph:
        """A graph, those events included that are on no path now; ``conditions`` are asked for last."""
        assertions, cuts = tuple(self.assertions(graph.assertions)), tuple(self.cuts(graph.cuts))
        waits = [self.wait(wait) for wait in graph.waits]
        impossible = [(self.guard(guard), self.value(value)) for guard, value in graph.impossible]
        return replace(
            graph,
            events=tuple(map(self.event, graph.events)),
            asw=tuple(self._edges(graph.asw)),
            issue=tuple(self._edges(graph.issue)),
            done=tuple(self._edges(graph.done)),
            phases={name: tuple(self._edges(edges)) for name, edges in graph.phases.items()},
            impossible=tuple((g, v) for g, v in impossible if not g.never and v != values.FALSE),
            assertions=assertions,
            cuts=cuts,
            waits=tuple(w for w in waits if not w.reached.never),
            finals={key: Final(self.value(f.value), self.value(f.defined)) for key, f in graph.finals.items()},
            addresses={event: self.selection(s) for event, s in graph.addresses.items()},
            settled={at: self.value(value) for at, value in graph.settled.items()},
            conditions=tuple(conditions()),
        )

    def _maybe(self, guard: Guard | None) -> Guard | None:
        return None if guard is None else self.guard(guard)

    def _edges(self, edges: Iterable[Synchronises]) -> Iterator[Synchronises]:
        for edge in edges:
            when = None if edge.when is None else self.value(edge.when)
            if when is None or when != values.FALSE:
                yield replace(edge, when=None if when == values.TRUE else when)


def beside_events(graph: EventGraph) -> Sequence[Value]:
    """The values of a graph, but for those that its events have."""
    found = list(graph.conditions)

    def noted(value: Value) -> Value:
        found.append(value)
        return value

    Rewrite(value=noted).graph(replace(graph, events=()), tuple)
    return found


def meeting(event: Event, kind: Kind, before: str, after: str = "") -> Event:
    """An arrival or a wait in the place of an access to an mbarrier; its text has that place between two others."""
    text = f"{before} {event.text.split(' ', 1)[1]}{after}"
    return replace(event, kind=kind, text=text, location=None, value=None, order=None, scope=None, rmw=None)


def among(edges: Iterable[Synchronises], kept: Collection[str]) -> Iterator[Synchronises]:
    """Edges between the events that are left."""
    for edge in edges:
        before, after = (tuple(e for e in side if e in kept) for side in (edge.before, edge.after))
        if before and after:
            yield replace(edge, before=before, after=after)


def _same(one: Guard | None, other: Guard | None) -> bool:
    """Whether two guards are one, also of two event graphs."""
    return one == other and (one is None or other is None or one.guards is other.guards)


def of_events(graph: EventGraph, kept: Collection[str], asw: Iterable[Synchronises]) -> EventGraph:
    """The part of a graph that some events are, with what synchronises among them, ``asw``.

    What a relation says where a condition on a read holds is said no more if that read is never executed.
    """
    never = {e.id for e in graph.events if e.guard.never and e.id not in kept}

    def may_hold(edge: Synchronises) -> bool:
        return edge.when is None or not any(graph.event_of(leaf.name) in never for leaf in values.leaves(edge.when))

    def left(edges: Iterable[Synchronises]) -> tuple[Synchronises, ...]:
        return tuple(filter(may_hold, among(edges, kept)))

    there = [e.id in kept for e in graph.events if e.kind is not Kind.INIT]
    position = [0, *accumulate(there)]
    events = (e for e in graph.events if e.id in kept)
    return replace(
        graph,
        events=tuple(e if e.rmw is None or e.rmw in kept else replace(e, rmw=None) for e in events),
        asw=tuple(filter(may_hold, asw)),
        done=left(graph.done),
        phases={name: left(edges) for name, edges in graph.phases.items()},
        assertions=tuple(
            replace(a, position=position[a.position])
            for a in graph.assertions
            if not (a.implicit and a.guard.never)  # what it is about may not be kept
        ),
        cuts=tuple(replace(c, position=position[c.position], start=position[c.start]) for c in graph.cuts),
        waits=tuple(
            replace(w, position=position[w.position], end=position[w.end])
            for w in graph.waits
            if not w.event or w.event in kept
        ),
        control={event: reads for event, reads in graph.control.items() if event in kept},
        addresses={event: selection for event, selection in graph.addresses.items() if event in kept},
        mapped=graph.mapped & frozenset(kept),
        carried={event: reads & frozenset(kept) for event, reads in graph.carried.items() if event in kept},
    )
