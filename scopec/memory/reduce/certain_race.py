"""Finds a certain race in a large graph by running the program once or twice, sequentially.

An execution is made over a memory that holds the last value written (:mod:`scopec.memory.reduce.one_execution`): it is
sequentially consistent, so every model has it.  Two of its accesses to one location, not both atomic at scopes that
include both threads, race for certain if only atomic operations could order them, and no operation that could release
follows the first, or none that could acquire precedes the second.

Operations on mbarriers order what the phases of that execution say: all arrivals of a phase come before whoever finds
it over, whatever their orders and scopes are, and the accesses of the copies that complete in it.  That may be more
than the model has, so nothing is taken for a race that is none.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

from scopec.base.records import dataclass, replace
from scopec.memory.events.events import Event, EventGraph, Kind
from scopec.memory.events.rewriting import Rewrite, among, meeting, of_events
from scopec.memory.events.scopes import inclusive
from scopec.memory.reduce.constant_order import ConstantOrder
from scopec.memory.reduce.one_execution import OneExecution, executions
from scopec.memory.reduce.prune_barriers import condensed
from scopec.program import ir, values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scopec.memory.events.events import Synchronises
    from scopec.program.observe import Location, Target


@dataclass(frozen=True)
class _Found:
    """An execution, its graph, and two accesses of it that race."""

    run: OneExecution
    executed: EventGraph
    pair: tuple[Event, Event]


def racing(graph: EventGraph, target: Target | None = None, *, condense: bool = True) -> EventGraph | None:
    """The part of a graph that has such a race, on a ``target`` if one is given, with the values of one execution; None
    if none is found.

    With ``condense`` it is also without the barriers that nobody needs then.
    """
    found = _race(graph, target)
    if found is None:
        return None
    left = _left(graph, found)
    return condensed(left) if condense else left


def racing_at_mbarriers(graph: EventGraph, target: Target | None = None) -> EventGraph:
    """The same of a graph with operations on mbarriers, with all barriers; the graph itself if there is none."""
    found = _race(graph, target)
    return graph if found is None else _left(graph, found)


def _left(graph: EventGraph, raced: _Found) -> EventGraph:
    """The part of a graph that a race is shown in."""
    run, executed, pair = raced.run, raced.executed, raced.pair
    at, those = pair[0].location, {e.thread for e in pair}  # what others add there makes no difference
    kept = {e.id for e in executed.events if e.location != at or not e.atomic or e.thread in those}
    left = of_events(executed, kept, among(executed.asw, kept))
    settled = {o: held for o, held in {**graph.settled, **run.memory}.items() if o != at}
    known = Rewrite(value=run.known).graph(replace(left, events=(), addresses={}, settled=settled), tuple)
    return replace(known, events=left.events, carried={}, one_race=True, may_wait=bool(graph.cuts))


def racing_pair(graph: EventGraph) -> tuple[Event, Event] | None:
    """Two accesses of the execution that have such a race, if any have."""
    raced = _race(graph, None)
    return None if raced is None else raced.pair


def _race(graph: EventGraph, target: Target | None) -> _Found | None:
    if graph.issue or graph.impossible or any(e.operands for e in graph.events):
        return None
    if not graph.phases and (graph.cuts or graph.choices or any(edge.when is not None for edge in graph.done)):
        return None
    for run in executions(graph):
        if graph.finals and not run.whole:
            continue
        executed = _executed(graph, run)
        pair = _racing(executed, target)
        if pair is not None:
            return _Found(run, executed, pair)
    return None


def _executed(graph: EventGraph, run: OneExecution) -> EventGraph:
    """The graph of an execution, with an arrival or a wait in the place of what orders something at an mbarrier."""
    edges = {name: tuple(_known(graph.phases.get(name, ()), run)) for name in ("phase", "complete")}
    arrivals = {e for edge in edges["phase"] for e in edge.before}
    waits = {e for found in edges.values() for edge in found for e in edge.after}
    events = tuple(
        _met(e, arrives=e.id in arrivals) if e.id in arrivals | waits else e
        for e in run.events
        if e.location not in run.mbarriers or e.id in arrivals | waits
    )
    there = {e.id for e in events}
    asw = (*_known(graph.asw, run), *(replace(edge, barrier=True) for edge in edges["phase"]))
    done = (*_known(graph.done, run), *edges["complete"])
    return replace(
        graph, events=events, asw=tuple(among(asw, there)), done=tuple(among(done, there)), phases={}, choices={},
        assertions=(), cuts=(), waits=(),
    )  # fmt: skip


def _met(event: Event, *, arrives: bool) -> Event:
    return meeting(event, *((Kind.ARRIVE, "arrive at") if arrives else (Kind.WAIT, "find a phase over of")))


def _racing(executed: EventGraph, target: Target | None) -> tuple[Event, Event] | None:
    order = ConstantOrder(executed)
    releasing, acquiring = _synchronising(executed.events), _synchronising(executed.events[::-1])
    threads = {t.name: t for t in executed.program.threads}
    accesses: dict[Location, list[Event]] = defaultdict(list)
    for event in executed.events:
        if event.location is None or event.kind is Kind.INIT or (target and not target.holds(event.location)):
            continue
        if not executed.in_tensor_memory(event):
            accesses[event.location].append(event)

    @cache
    def releases(event: str) -> bool:
        one = executed.by_id[event]
        return any(a is one or order.before(one, a) for a in releasing)

    @cache
    def acquires(event: str) -> bool:
        other = executed.by_id[event]
        return any(a is other or order.before(a, other) for a in acquiring)

    @cache
    def agents(location: Location) -> list[Event]:
        return [e for e in accesses[location] if e.agent]

    def ordered(one: Event, other: Event) -> bool:
        """Whether something may order one access before another to its location, agents' accesses there between."""
        assert one.location is not None
        reached, left = [one], [e for e in agents(one.location) if e is not one and e is not other]
        for event in reached:
            if directly(event, other):
                return True
            through = [e for e in left if directly(event, e)]
            reached += through
            left = [e for e in left if e not in through]
        return False

    def directly(one: Event, other: Event) -> bool:
        if order.before(one, other) and order.may_connect(one, other):
            return True
        return releases(one.id) and acquires(other.id)  # maybe with a proxy fence on the way

    def race(one: Event, other: Event) -> bool:
        if one.thread == other.thread and one.agent == other.agent:
            return False
        if one.atomic and other.atomic and inclusive(one, other, threads, None):
            return False
        return not (ordered(one, other) or ordered(other, one))

    for own in accesses.values():
        pairs = ((write, e) for write in own if write.writes for e in own if e is not write)
        pair = next((pair for pair in pairs if race(*pair)), None)
        if pair is not None:
            return pair
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


def _known(edges: Iterable[Synchronises], run: OneExecution) -> Iterator[Synchronises]:
    """The synchronisation between executed events, where its condition may hold."""
    for edge in among(edges, run.found):
        if edge.when is None or run.known(edge.when) != values.FALSE:
            yield replace(edge, when=None)
