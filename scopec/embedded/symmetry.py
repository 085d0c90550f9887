"""Threads that can be exchanged: every execution in which they are has a twin, so one order of them is enough.

Two threads can be exchanged if their events are the same one by one, everything else relates to both alike, and no
question tells them apart.  Then the writes at one place of theirs may be taken to be coherence-ordered as the threads
are: the permutation that sorts them maps an execution to one that answers every question alike.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from scopec.memory.base import PLACES
from scopec.memory.scopes import contains, inclusive
from scopec.program.values import Reg, leaves, substitute

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from scopec.memory.events import Event, EventGraph
    from scopec.memory.questions import Problem
    from scopec.program.values import Builtin, Value


def ordered_writes(problem: Problem) -> Iterator[tuple[str, str]]:
    """Pairs of writes of which the first may be taken to come first in coherence order."""
    for group in interchangeable(problem):
        for position, write in enumerate(group[0]):
            if write.writes and write.guard.always:
                for one, other in pairwise(group):
                    yield one[position].id, other[position].id
                break


def interchangeable(problem: Problem) -> list[list[list[Event]]]:
    """Groups of at least two threads that can be exchanged, each thread as its events."""
    graph = problem.base.graph
    events: dict[str, list[Event]] = defaultdict(list)
    for event in graph.events:
        if event.thread:
            events[event.thread].append(event)
    told_apart = _told_apart(problem)
    alike: dict[Hashable, list[list[Event]]] = defaultdict(list)
    for thread, own in events.items():
        if thread not in told_apart:
            alike[_shape(graph, own)].append(own)
    return [
        group for group in alike.values() if len(group) > 1 and _related_alike(problem, group, list(events.values()))
    ]


def _told_apart(problem: Problem) -> set[str]:
    """The threads that a question, an edge with a condition, or another thread's value mentions."""
    graph = problem.base.graph
    names: set[str] = set()
    for question in problem.questions:
        if question.formula is not None:
            names |= {getattr(what, "thread", "") for what in question.formula.observed.values()}
    mentioned = [value for _, value in graph.impossible] + [e.when for e in graph.asw if e.when is not None]
    owner = {event.id: event.thread for event in graph.events}
    for value in mentioned:
        names |= {owner[read] for leaf in leaves(value) if (read := leaf.name.partition("?")[0]) in owner}
    return names


def _shape(graph: EventGraph, own: Sequence[Event]) -> Hashable:
    """What one thread's events are, its own reads called by their positions."""
    position = {event.id: n for n, event in enumerate(own)}

    def renamed(leaf: Reg | Builtin) -> Value:
        event, mark, rest = leaf.name.partition("?")
        return Reg(f"#{position[event]}{mark}{rest}", leaf.type) if event in position else Reg(leaf.name, leaf.type)

    def shape(value: Value) -> Value:
        return substitute(value, renamed)

    thread, choices = own[0].thread, graph.choices
    return (
        tuple(
            (
                e.kind, e.location, e.order, e.scope, e.volatile, e.failure, e.load_or_store,
                e.rmw and position[e.rmw],
                shape(e.guard.value(graph.conditions)),
                e.success and shape(e.success.value(graph.conditions)),
                e.value and shape(e.value),
                tuple(sorted((n.partition("?")[2], v) for n, v in choices.items() if n.partition("?")[0] == e.id)),
            )
            for e in own
        ),
        tuple(
            (a.span, a.position, shape(a.guard.value(graph.conditions)), shape(a.condition))
            for a in graph.assertions
            if a.thread == thread
        ),
        tuple(
            (c.span, c.wait, shape(c.guard.value(graph.conditions))) for c in graph.cuts if c.thread == thread
        ),
    )  # fmt: skip


def _related_alike(problem: Problem, group: list[list[Event]], threads: list[list[Event]]) -> bool:
    """Whether scopes, blocks and edges treat all threads of a group alike."""
    graph = problem.base.graph
    places = {t.name: t for t in graph.program.threads}
    members = {own[0].thread for own in group}
    others = [e for own in threads if own[0].thread not in members for e in own]
    first = group[0]
    version = problem.base.version
    heads = [places[own[0].thread] for own in group]
    strangers = [places[own[0].thread] for own in threads if own[0].thread not in members]
    for scope in PLACES.values():
        inside = {contains(scope, a, b, version) for a in heads for b in heads if a is not b}
        if len(inside) > 1 or any(len({contains(scope, a, b, version) for a in heads}) > 1 for b in strangers):
            return False

    def alike(a: Event, b: Event) -> bool:
        return inclusive(a, b, places, version)

    pattern = [[alike(a, b) for b in group[1]] for a in first]
    for own in group:
        if any(alike(a, o) != alike(b, o) for a, b in zip(own, first, strict=True) for o in others):
            return False
        for other in group:
            if own is not other and [[alike(a, b) for b in other] for a in own] != pattern:
                return False
    for edge in graph.asw:
        for side in (set(edge.before), set(edge.after)):
            if len({tuple(e.id in side for e in own) for own in group}) > 1:
                return False
    atomic = problem.base.atomic
    return len({tuple(e.id in atomic for e in own) for own in group}) == 1
