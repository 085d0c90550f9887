"""Dependencies that no compiler can remove: the reads on whose values an access depends.

docs/memory-models.md, "Thin air", defines them.  A thread is taken as a function: from the values that its reads
return, and the choices that are left to the implementation, to its accesses with their locations and values.  A read
matters to an access if for some values of the others two values of the read differ in what becomes of it.

The function is that of the event graph, so that waiting for another thread belongs to it: where a thread stays in a
loop for ever, what waits for it (at a barrier, for a launch or the end of a grid) does not happen either.  A barrier is
passed where each other thread has arrived or has exited, so what follows it depends on what decides which.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.graphs import components
from scopec.base.records import dataclass
from scopec.memory.domains.valuations import CircularError, TooManyError, Valuations
from scopec.memory.events.events import Kind, Left, unsequenced
from scopec.memory.reduce.constant_order import ConstantOrder
from scopec.program.types import ArithmeticFault
from scopec.program.values import FALSE

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from scopec.memory.domains.domains import Domains
    from scopec.memory.domains.valuations import Circumstances, Valuation
    from scopec.memory.events.events import Assertion, Event, EventGraph, Selection
    from scopec.memory.events.guards import Guard
    from scopec.program.values import Value

#: A read and an event that depends on it, by their ids.
Pair: TypeAlias = tuple[str, str]
#: Why a dependency is not decided.
BOUND = "a loop may go on beyond its bound"
VALUES = "values are computed from each other without end"
WAYS = "the thread has too many ways"
CIRCULAR = "who comes to a vote hangs on its result"
CARRIED = "its value comes by way of memory that is computed beforehand: `--without settled` asks about that too"
#: Operations that say nothing of what the thread does later.
_OPEN = frozenset({Left.DIVERGING, Left.BEYOND, Left.LEFT_OUT})


@dataclass(frozen=True)
class Dependencies:
    """The pairs of a read and an event that depends on it, in the order of the graph.

    Each is one where a condition on what is left to the implementation holds, or everywhere (None): what waits for a
    thread that comes before it in its stream does so only if it comes before it.  ``undecided`` are the pairs of which
    it was not found out whether the event depends on the read, each with the reason.
    """

    pairs: Mapping[Pair, Value | None]
    undecided: Mapping[Pair, str]


@dataclass(frozen=True, slots=True)
class _Target:
    """Accesses that are counterparts of each other: those of one kind, order and scope of a thread to a location.

    The write of a read-modify-write is of another kind than a store.

    With a ``selection`` it is one read, whose element the index selects: only that matters to reads.  With
    ``arrivals``, each those of another thread at a barrier before an event, it is whether they arrive that counts.
    """

    events: tuple[Event, ...]
    selection: Selection | None = None
    arrivals: tuple[tuple[tuple[Event, ...], ...], ...] = ()

    @property
    def guards(self) -> tuple[Guard, ...]:
        """The paths on which they are executed, or on which others arrive."""
        if self.arrivals:
            return tuple(arrival.guard for arrivals in self.arrivals[-1] for arrival in arrivals)
        return tuple(e.guard for e in self.events)

    @property
    def values(self) -> tuple[Value, ...]:
        """The values that they store, or that select the element."""
        if self.arrivals:
            return ()
        if self.selection is not None:
            return (self.selection.index,)
        return tuple(e.value for e in self.events if e.value is not None)


def dependencies(graph: EventGraph, known: Domains, *, every: bool = False) -> Dependencies:
    """The dependencies of a graph whose reads return the values of ``known``.

    Only those that may be on a cycle of reads-from and dependency, which are all that matter to an axiom that forbids
    such cycles; or ``every`` one, those of fences, barriers and calls too.
    """
    return _Search(graph, known, every=every).run()


class _Search:
    def __init__(self, graph: EventGraph, known: Domains, *, every: bool) -> None:
        self.graph = graph
        self.valuations = Valuations(graph, known)
        self.every = every
        self.open = known.open
        self.found: dict[Pair, set[Circumstances]] = defaultdict(set)
        self.unsure: dict[Pair, set[Circumstances]] = defaultdict(set)
        self.undecided: dict[Pair, str] = {}
        self._initial = sum(e.kind is Kind.INIT for e in graph.events)
        self._changed: dict[tuple[str, Value], bool] = {}
        #: The threads whose reads decide whether a target is reached, by its last event.
        self._waits_for: dict[str, frozenset[str]] = {}

    def run(self) -> Dependencies:
        # The read of a read-modify-write precedes its write, whatever that stores.
        halves = {(e.id, e.rmw) for e in self.graph.events if e.kind is Kind.READ and e.rmw is not None}
        candidates = [(target, read, pairs) for target in self._targets() for read, pairs in self._candidates(target)]
        carried = {(read, event) for event, reads in self.graph.carried.items() for read in reads}
        possible = halves.union(carried, *(pairs for _, _, pairs in candidates))
        wanted = possible if self.every else self._on_cycles(possible)
        for pair in halves & wanted:
            self.found[pair].add(frozenset())
        for target, read, pairs in candidates:
            looked_for = (pairs & wanted) - halves
            if looked_for and self.valuations.varies(read):
                self._look(target, read, looked_for)
        for pair, unsure in self.unsure.items():
            if not all(self._known(pair, circumstances) for circumstances in unsure):
                self.undecided.setdefault(pair, BOUND)
        # A thread that reads it from there takes it for what it is not: any value that may be there.
        for pair in (carried & wanted) - self.found.keys():
            self.undecided.setdefault(pair, CARRIED)
        found = {pair: self.valuations.where(self.found[pair]) for pair in self._in_order(self.found)}
        left = [pair for pair in self._in_order(self.undecided) if found.get(pair, FALSE) is not None]
        return Dependencies(found, {pair: self.undecided[pair] for pair in left})

    def _known(self, pair: Pair, circumstances: Circumstances) -> bool:
        return any(found <= circumstances for found in self.found.get(pair, ()))

    def _in_order(self, pairs: Iterable[Pair]) -> tuple[Pair, ...]:
        at = self.valuations.position
        return tuple(sorted(pairs, key=lambda pair: (at[pair[0]], at[pair[1]])))

    # ---- what may depend on what

    def _targets(self) -> Iterator[_Target]:
        alike: dict[Hashable, list[Event]] = defaultdict(list)
        for e in self.graph.events:
            if e.kind is Kind.READ and e.id in self.graph.addresses:
                yield _Target((e,), self.graph.addresses[e.id])
            elif e.kind is Kind.WRITE or (self.every and e.kind not in (Kind.INIT, Kind.READ)):
                alike[e.thread, e.location, e.kind, e.order, e.scope, e.volatile, e.rmw is None].append(e)
        for events in alike.values():
            yield _Target(tuple(events))
        for events in alike.values():  # behind all others: what may be looked at is shared
            if events[0].kind is Kind.WRITE and (arrivals := tuple(map(self._arrivals, events)))[-1]:
                yield _Target(tuple(events), arrivals=arrivals)

    def _arrivals(self, event: Event) -> tuple[tuple[Event, ...], ...]:
        """The arrivals of others that may be missing at barriers that an event's thread has always passed before it.

        Each are those of a thread at one barrier, on its ways.  A thread that does not arrive has exited, unless a
        barrier has a count: then another one may come instead.
        """
        at = self.valuations.position
        passed = (
            arrivals
            for wait, arrivals in self._conditional.get(event.thread, {}).items()
            if at[wait] < at[event.id] and event.guard.excludes(~self.graph.by_id[wait].guard)
        )
        return tuple(dict.fromkeys(tuple(own) for arrivals in passed for own in arrivals.values()))

    @cached_property
    def _conditional(self) -> Mapping[str, Mapping[str, Mapping[str, Sequence[Event]]]]:
        """For each thread its waits at barriers, with the arrivals that hang on what is read, by their threads."""
        found: dict[str, dict[str, dict[str, list[Event]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(list))
        )
        for edge in self.graph.asw:
            if edge.of_all:
                arrivals = map(self.graph.by_id.__getitem__, edge.before)
                conditional = [a for a in arrivals if self.valuations.reads((a.guard,), ())]
                for wait in map(self.graph.by_id.__getitem__, edge.after) if conditional else ():
                    for arrival in conditional:
                        if arrival.thread != wait.thread:
                            found[wait.thread][wait.id][arrival.thread].append(arrival)
        return found

    def _candidates(self, target: _Target) -> Iterator[tuple[str, set[Pair]]]:
        """The reads that are mentioned where a target is computed, with the pairs that that may make."""
        at = self.valuations.position
        guards = target.guards if target.selection is None else ()
        for read in sorted(self.valuations.reads(guards, target.values)):
            pairs = {
                (r.id, e.id)
                for r in self.valuations.members[read]
                for e in target.events
                if (at[r.id] < at[e.id] and not unsequenced(r, e) if r.thread == e.thread else self._may_wait_for(e, r))
            }
            if pairs:
                yield read, pairs

    def _may_wait_for(self, event: Event, read: Event) -> bool:
        """Whether what another thread reads may decide about an event: not where the program orders the event first."""
        return bool(event.agent or read.agent) or not self._order.before(event, read)

    @cached_property
    def _order(self) -> ConstantOrder:
        return ConstantOrder(self.graph)

    def _on_cycles(self, possible: set[Pair]) -> set[Pair]:
        """The pairs that may be on a cycle of reads-from and dependency.

        No read reads from a write that comes after it in its thread: every model that has the axiom is coherent.
        """
        at, after = self.valuations.position, defaultdict(list)
        for read, event in self._in_order(possible):
            after[read].append(event)
        for location in self.graph.locations:
            accesses = self.graph.accesses(location)
            for write in (e for e in accesses if e.kind is Kind.WRITE):
                after[write.id] += [
                    r.id
                    for r in accesses
                    if r.kind is Kind.READ
                    and (r.thread != write.thread or at[r.id] > at[write.id] or unsequenced(r, write))
                ]
        component = {
            event: number
            for number, group in enumerate(components(list(after), lambda event: after.get(event, ())))
            for event in group
        }
        return {(read, event) for read, event in possible if component[read] == component[event]}

    # ---- what does

    def _look(self, target: _Target, read: str, looked_for: set[Pair]) -> None:
        """Find out which of some pairs are dependencies."""
        if not self.open.isdisjoint(self.valuations.reads(target.guards, target.values)):
            self.undecided |= dict.fromkeys(looked_for, VALUES)
        try:
            if self._affects(read, target):
                self.valuations.every(
                    read,
                    lambda valuations, here: self._judge(target, read, looked_for, valuations, here),
                    lambda here: all(self._known(pair, here) for pair in looked_for),
                )
        except CircularError:
            self.undecided |= dict.fromkeys(looked_for, CIRCULAR)
        except TooManyError:
            self.undecided |= dict.fromkeys(looked_for, WAYS)

    def _affects(self, read: str, target: _Target) -> bool:
        """Whether a read changes any of the expressions that a target is computed from, each by itself."""
        conditions = {number for guard in target.guards for number in guard.conditions}
        expressions = (*(self.graph.conditions[number] for number in sorted(conditions)), *target.values)
        return any(self._changes(read, expression) for expression in expressions)

    def _changes(self, read: str, value: Value) -> bool:
        if (read, value) not in self._changed:
            results: set[int] = set()

            def judge(valuations: Sequence[Valuation], _: Circumstances) -> None:
                results.clear()
                for valuation in valuations:
                    with suppress(ArithmeticFault):
                        results.add(valuation.value(value))

            if read in self.valuations.reads((), (value,)):
                self.valuations.every(read, judge, lambda _: len(results) > 1)
            self._changed[read, value] = len(results) > 1
        return self._changed[read, value]

    def _judge(
        self,
        target: _Target,
        read: str,
        looked_for: set[Pair],
        valuations: Sequence[Valuation],
        circumstances: Circumstances,
    ) -> None:
        """Add what is shown by valuations that differ in one read alone."""
        rows = [(valuation, row) for valuation in valuations if (row := self._row(target, valuation)) is not None]
        for place in range(max((len(row) for _, row in rows), default=0)):
            there = [(valuation, *row[place]) for valuation, row in rows if len(row) > place]
            missing = [valuation for valuation, row in rows if len(row) <= place]
            differs = len({what for _, _, what in there}) > 1
            differs = differs or any(not self._goes_on(target, valuation) for valuation in missing)
            if differs or missing:
                pairs = {
                    (r.id, event)
                    for valuation, event, _ in there
                    for r in self.valuations.members[read]
                    if (r.id, event) in looked_for and valuation.holds(r.guard)
                }
                for pair in pairs:
                    (self.found if differs else self.unsure)[pair].add(circumstances)

    def _row(self, target: _Target, valuation: Valuation) -> list[tuple[str, Hashable]] | None:
        """The counterparts that a valuation has, one by one, each with what distinguishes it from the same of
        another valuation.

        None for one that is not compared: its behaviour is undefined, or it does not come to a read's selection.
        """
        try:
            if any(valuation.holds(a.guard) and not valuation.value(a.condition) for a in self._faults(target)):
                return None
            if target.arrivals:
                return [
                    (e.id, tuple(any(valuation.holds(a.guard) for a in own) for own in before))
                    for e, before in zip(target.events, target.arrivals, strict=True)
                    if valuation.holds(e.guard)
                ]
            if target.selection is None:
                there = [e for e in target.events if valuation.holds(e.guard)]
                return [(e.id, None if e.value is None else valuation.value(e.value)) for e in there]
            if not valuation.holds(target.selection.guard):
                return None
            (read,) = target.events
            return [(read.id if valuation.holds(read.guard) else "", valuation.value(target.selection.index))]
        except ArithmeticFault:
            return None

    def _faults(self, target: _Target) -> Sequence[Assertion]:
        """The conditions before a target on which the behaviour is defined."""
        return [a for a in self.graph.faults if self._comes_before(a.thread, a.position, target)]

    def _goes_on(self, target: _Target, valuation: Valuation) -> bool:
        """Whether a valuation leads beyond the bound of a loop, after which there may be more counterparts."""
        return any(
            (not cut.wait or cut.left in _OPEN)
            and self._comes_before(cut.thread, cut.start, target)
            and valuation.holds(cut.guard)
            for cut in self.graph.cuts
        )

    def _comes_before(self, thread: str, position: int, target: _Target) -> bool:
        """Whether what a thread does after so many events may come before a target: in that of another, if it waits."""
        last = target.events[-1]
        if thread == last.thread:
            return position <= self.valuations.position[last.id] - self._initial
        if last.id not in self._waits_for:
            reads = self.valuations.reads(target.guards, ())
            self._waits_for[last.id] = frozenset(self.graph.by_id[read].thread for read in reads)
        return thread in self._waits_for[last.id]
