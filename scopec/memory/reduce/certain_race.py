"""Finds a certain race in a large graph by running the program once, sequentially.

One execution is made, in which threads run one after the other, each until it has to wait, over a memory that holds
the last value written: it is sequentially consistent, so every model has it.  Two of its accesses to one location race
for certain if only atomic operations could order them, and no operation that could release follows the first, or none
that could acquire precedes the second.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.events.events import Event, EventGraph, Final, Kind
from scopec.memory.events.rewriting import of_events
from scopec.memory.reduce.constant_order import ConstantOrder
from scopec.memory.reduce.prune_barriers import condensed
from scopec.program import ir, values
from scopec.program.values import FALSE, Const

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from scopec.memory.events.events import Synchronises
    from scopec.memory.events.guards import Guard
    from scopec.program.observe import Location
    from scopec.program.values import Value


@dataclass(frozen=True)
class _Found:
    """An execution, its graph, and two accesses of it that race."""

    run: _Run
    executed: EventGraph
    pair: tuple[Event, Event]


def racing(graph: EventGraph, *, condense: bool = True) -> EventGraph | None:
    """The part of a graph that has such a race, with the values of one execution; None if none is found.

    With ``condense`` it is also without the barriers that nobody needs then.
    """
    raced = _race(graph)
    if raced is None:
        return None
    run, executed, pair = raced.run, raced.executed, raced.pair
    at, those = pair[0].location, {e.thread for e in pair}  # what others add there makes no difference
    kept = {e.id for e in executed.events if e.location != at or not e.atomic or e.thread in those}
    found = replace(
        of_events(executed, kept, _edges(graph, run, kept)),
        conditions=(),
        addresses={},
        assertions=(),
        waits=(),
        carried={},
        settled={o: run.known(held) for o, held in {**graph.settled, **run.memory}.items() if o != at},
        finals={key: Final(run.known(f.value), run.known(f.defined)) for key, f in graph.finals.items()},
        one_race=True,
    )
    return condensed(found) if condense else found


def racing_pair(graph: EventGraph) -> tuple[Event, Event] | None:
    """Two accesses of the execution that have such a race, if any have."""
    raced = _race(graph)
    return None if raced is None else raced.pair


def _race(graph: EventGraph) -> _Found | None:
    if graph.phases or any(edge.when is not None for edge in graph.done):
        return None
    if graph.cuts or graph.issue or graph.impossible or graph.choices or any(e.operands for e in graph.events):
        return None
    run = _Run(graph)
    try:
        events = tuple(run.events())
    except _NotKnownYet:
        return None
    executed = replace(graph, events=events, asw=tuple(_edges(graph, run, {e.id for e in events})))
    order = ConstantOrder(executed)
    releasing, acquiring = _synchronising(executed.events), _synchronising(executed.events[::-1])
    accesses: dict[Location, list[Event]] = defaultdict(list)
    for event in executed.events:
        if event.location is not None and event.kind is not Kind.INIT:
            accesses[event.location].append(event)

    @cache
    def releases(event: str) -> bool:
        one = executed.by_id[event]
        return any(a is one or order.before(one, a) for a in releasing)

    @cache
    def acquires(event: str) -> bool:
        other = executed.by_id[event]
        return any(a is other or order.before(a, other) for a in acquiring)

    def ordered(one: Event, other: Event) -> bool:
        """Whether something may order one event before another."""
        if order.before(one, other) and order.may_connect(one, other):
            return True
        return releases(one.id) and acquires(other.id)  # maybe with a proxy fence on the way

    def race(one: Event, other: Event) -> bool:
        if (one.thread == other.thread and one.agent == other.agent) or (one.atomic and other.atomic):
            return False
        return not (ordered(one, other) or ordered(other, one))

    for own in accesses.values():
        pairs = ((write, e) for write in own if write.writes for e in own if e is not write)
        pair = next((pair for pair in pairs if race(*pair)), None)
        if pair is not None:
            return _Found(run, executed, pair)
    return None


def _synchronising(events: Sequence[Event]) -> list[Event]:
    """The atomic accesses that are no relaxed ones, or before which the thread has a fence as ``events`` stand."""
    fenced: set[str] = set()
    found = []
    for event in events:
        if event.kind in (Kind.FENCE, Kind.WAIT):
            fenced.add(event.thread)
        elif event.atomic and (event.order is not ir.Order.RELAXED or event.thread in fenced):
            found.append(event)
    return found


def _edges(graph: EventGraph, run: _Run, there: Collection[str]) -> Iterator[Synchronises]:
    """The additional synchronises-with between the executed events."""
    for edge in graph.asw:
        before, after = (tuple(e for e in side if e in there) for side in (edge.before, edge.after))
        if before and after and (edge.when is None or run.known(edge.when) == values.TRUE):
            yield replace(edge, before=before, after=after, when=None)


class _NotKnownYet(Exception):
    """A value comes from a lane whose read is executed later: no edge is where a warp exchanges values."""


class _Run:
    """The execution: what each location holds, what each read has returned."""

    def __init__(self, graph: EventGraph) -> None:
        self.graph = graph
        self.memory: dict[Location, Const] = {}
        self.read: dict[str, Const] = {}
        #: The events that are executed, or on a path that is not taken.
        self.passed: set[str] = set()
        self.outcomes: dict[int, bool] = {}
        self.left: dict[str, int] = defaultdict(int)
        #: For each event how many edges end at it whose events are not all executed or left out yet.
        self.ends: dict[str, list[int]] = defaultdict(list)
        self.begins: dict[str, list[int]] = defaultdict(list)
        self.missing = [len(edge.before) for edge in graph.asw]
        for number, edge in enumerate(graph.asw):
            for event in edge.before:
                self.begins[event].append(number)
            for event in edge.after:
                self.ends[event].append(number)

    def events(self) -> Iterator[Event]:
        """The executed events, in the graph's order, with what they write."""
        threads: dict[str, list[Event]] = defaultdict(list)
        for event in self.graph.events:
            threads[event.thread].append(event)
        at = dict.fromkeys(threads, 0)
        found: dict[str, Event] = {}
        moved = True
        while moved:
            moved = False
            for thread, events in threads.items():
                while at[thread] < len(events) and not any(self.missing[n] for n in self.ends[events[at[thread]].id]):
                    event = events[at[thread]]
                    if self.holds(event.guard):
                        found[event.id] = self.perform(event)
                    self.passed.add(event.id)
                    for number in self.begins[event.id]:
                        self.missing[number] -= 1
                    at[thread] += 1
                    moved = True
        yield from (found[e.id] for e in self.graph.events if e.id in found)

    def perform(self, event: Event) -> Event:
        """Execute an event: what it writes is a constant then."""
        always = event.guard.guards.always
        event = replace(event, guard=always, success=None if event.success is None else always)
        if event.location is None:
            return event
        if event.kind is Kind.READ:
            self.read[event.id] = self.memory[event.location]
            return event
        assert event.value is not None
        value = self.known(event.value)
        if not isinstance(value, Const):
            raise _NotKnownYet
        self.memory[event.location] = value
        return replace(event, value=value if event.rmw is None else self.known(event.value, own=event.rmw))

    def known(self, value: Value, own: str | None = None) -> Value:
        """A value with what reads have returned in it, but for the other half of a read-modify-write."""
        return values.substitute(value, lambda leaf: leaf if leaf.name == own else self.read.get(leaf.name, leaf))

    def waits(self, value: Value) -> bool:
        """Whether a value has reads in it that are neither executed nor passed over."""
        left: set[str] = set()

        def seen(leaf: values.Reg | values.Builtin) -> Value:
            left.add(leaf.name)
            return leaf

        values.substitute(value, seen)
        return any(name in self.graph.by_id and name not in self.passed for name in left)

    def holds(self, guard: Guard) -> bool:
        """Whether a path is the one that is taken."""
        while not (guard.always or guard.never):
            number, low, high = guard.branch
            if number not in self.outcomes:
                condition = self.known(self.graph.conditions[number])
                if not isinstance(condition, Const) and self.waits(condition):
                    raise _NotKnownYet
                self.outcomes[number] = isinstance(condition, Const) and condition != FALSE
            guard = high if self.outcomes[number] else low
        return guard.always
