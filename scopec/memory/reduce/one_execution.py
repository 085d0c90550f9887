"""One sequentially consistent execution of an event graph, or the beginning of one.

Each location holds the last value written.  A copy is complete at its issue.  Who waits in a loop looks when it goes on
after that; who cannot go on, or comes to where the graph ends, is left there: what the others have done until then is
the beginning of an execution all the same, and nothing that comes later orders it otherwise.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.memory.events.events import Event, EventGraph, Kind
from scopec.memory.reduce.edges_left import EdgesLeft
from scopec.memory.unfold.barriers import parts
from scopec.program import ir, values
from scopec.program.values import FALSE, Const

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from scopec.memory.events.events import Wait
    from scopec.memory.events.guards import Guard
    from scopec.program.observe import Location
    from scopec.program.values import Builtin, Reg, Value


class NotKnownYetError(Exception):
    """What a thread does depends on what is read later, or is left open: there is no such execution."""


class OneExecution:
    """The execution: what each location holds, what each read has returned, the events, with what they write.

    Threads run one after the other as far as they get.  In ``turns`` the next one goes on behind each operation on an
    mbarrier, first of all who has waited for it; if ``ahead``, each runs before that as far as it gets by itself, and
    nobody has arrived at an mbarrier for it.
    """

    def __init__(self, graph: EventGraph, *, turns: bool = False, ahead: bool = False) -> None:
        self.graph = graph
        self.memory: dict[Location, Const] = {}
        self.read: dict[str, Const] = {}
        #: The events that are executed, or on a path that is not taken.
        self.passed: set[str] = set()
        self.outcomes: dict[int, bool] = {}
        self.found: dict[str, Event] = {}
        objects = graph.program.objects
        #: The locations of mbarriers.
        self.mbarriers = {at for at in graph.locations if objects[at.object].use is ir.Use.MBARRIER}
        #: The reads of read-modify-writes: nothing comes between one and its write.
        self.halves = {e.id for e in graph.events if e.kind is Kind.READ and e.rmw is not None}
        self.edges = EdgesLeft(graph)
        self.threads: dict[str, list[tuple[int, Event]]] = defaultdict(list)
        initial = sum(e.kind is Kind.INIT for e in graph.events)
        for place, event in enumerate(graph.events):
            self.threads[event.thread].append((place - initial, event))
        #: The loops in which threads wait, by where they begin.
        self.waits: dict[tuple[str, int], list[Wait]] = defaultdict(list)
        for wait in graph.waits:
            if not wait.event and wait.end > wait.position:
                self.waits[wait.thread, wait.position].append(wait)
        #: Where a thread has looked in vain, and what it has found there.
        self.vain: dict[str, tuple[int, Mapping[Location, Const]]] = {}
        #: How far threads are.
        self.at = dict.fromkeys(self.threads, 0)
        self._run(turns=turns, ahead=ahead)

    @property
    def events(self) -> Sequence[Event]:
        """The executed events, in the graph's order."""
        return [self.found[e.id] for e in self.graph.events if e.id in self.found]

    @property
    def whole(self) -> bool:
        """Whether every thread has come to its end."""
        return len(self.passed) == len(self.graph.events)

    # ---- steps

    def _run(self, *, turns: bool, ahead: bool) -> None:
        alone = list(self.threads) if ahead else []
        while steps := {t: done for t in alone if (done := self._turn(t, self._behind_another))}:
            alone = [t for t in alone if not any(map(self._behind_another, steps.get(t, ())))]
        moved = True
        while moved:
            moved = False
            for thread in self.threads:
                if self._turn(thread, self._is_operation if turns else None):
                    moved = True
                    for other in tuple(self.vain) if turns else ():
                        self._turn(other, self._is_operation)

    def _turn(self, thread: str, until: Callable[[Event], bool] | None) -> Sequence[Event]:
        """Let a thread go on as far as it gets, or until an event; the events of its last step, if it does."""
        events, done = self.threads[thread], []
        while self.at[thread] < len(events) and (steps := self._steps(events, self.at[thread])):
            done = [e for _, e in events[self.at[thread] : self.at[thread] + steps]]
            self.at[thread] += steps
            if until is not None and any(map(until, done)):
                break
        return done

    def _is_operation(self, event: Event) -> bool:
        return event.location in self.mbarriers and event.id not in self.halves and event.id in self.found

    def _behind_another(self, event: Event) -> bool:
        """Whether a look finds a phase over that has come to its end."""
        return self._is_operation(event) and event.id in self.read and parts(self.read[event.id].value)["phase"] > 0

    def _steps(self, events: Sequence[tuple[int, Event]], at: int) -> int:
        """Take the next step of a thread: how many events it is, 0 if the thread has to wait."""
        place, event = events[at]
        waits = self.waits.get((event.thread, place), ())
        if len(waits) > 1:
            raise NotKnownYetError
        if waits and self.holds(waits[0].reached):
            return self._wait(waits[0], [e for n, e in events[at:] if n < waits[0].end])
        return int(self._step(event))

    def _wait(self, wait: Wait, events: Sequence[Event]) -> int:
        """Go round a loop until it is over; 0, and all as it was, if it is not."""
        place, found = self.vain.get(wait.thread, (-1, {}))
        if place == wait.position and all(self.memory[at] == value for at, value in found.items()):
            return 0
        kept, edges = (self.memory, self.read, self.passed, self.outcomes, self.found), self.edges.mark()
        self.memory, self.read, self.outcomes = dict(self.memory), dict(self.read), dict(self.outcomes)
        self.passed, self.found = set(self.passed), dict(self.found)
        gone_round = all(self._step(event) for event in events)
        if gone_round and self.holds(wait.passed):
            self.vain.pop(wait.thread, None)
            return len(events)
        self.memory, self.read, self.passed, self.outcomes, self.found = kept
        self.edges.back_to(edges)
        if gone_round:
            looked = {e.location for e in events if e.location is not None}
            self.vain[wait.thread] = wait.position, {at: self.memory[at] for at in looked}
        return 0

    def _step(self, event: Event) -> bool:
        """Execute an event, or pass it over; False if it has to wait for others."""
        if self.edges.hold_up(event):
            return False
        if self.holds(event.guard):
            self._perform(event)
        self.passed.add(event.id)
        self.edges.passed(event)
        return True

    def _perform(self, event: Event) -> None:
        """Execute an event: what it writes is a constant then."""
        always = event.guard.guards.always
        event = replace(event, guard=always, success=None if event.success is None else always)
        if event.kind is Kind.READ:
            assert event.location is not None
            self.read[event.id] = self.memory[event.location]
        elif event.location is not None:
            assert event.value is not None
            value = self.known(event.value)
            if not isinstance(value, Const):
                raise NotKnownYetError
            self.memory[event.location] = value
            event = replace(event, value=value if event.rmw is None else self.known(event.value, own=event.rmw))
        self.found[event.id] = event

    # ---- what is known

    def known(self, value: Value, own: str | None = None) -> Value:
        """A value with what reads have returned in it, but for the other half of a read-modify-write."""
        return values.substitute(value, lambda leaf: leaf if leaf.name == own else self._leaf(leaf))

    def _leaf(self, leaf: Reg | Builtin) -> Value:
        """What a read has returned; what is a free choice is true: a test does not give up."""
        found = self.read.get(leaf.name)
        if found is None and leaf.name in self.graph.choices and self.graph.choices[leaf.name].what == "either":
            return Const(1, leaf.type)
        return leaf if found is None else found

    def _later(self, value: Value) -> bool:
        """Whether a value has reads in it that are neither executed nor passed over."""
        left = {leaf.name for leaf in values.leaves(value)}
        return any(name in self.graph.by_id and name not in self.passed for name in left)

    def holds(self, guard: Guard) -> bool:
        """Whether a path is the one that is taken."""
        while not (guard.always or guard.never):
            number, low, high = guard.branch
            if number not in self.outcomes:
                condition = self.known(self.graph.conditions[number])
                if not isinstance(condition, Const) and (self._later(condition) or self._open(condition)):
                    raise NotKnownYetError
                self.outcomes[number] = isinstance(condition, Const) and condition != FALSE
            guard = high if self.outcomes[number] else low
        return guard.always

    def _open(self, value: Value) -> bool:
        """Whether a value depends on what is left open."""
        return any(leaf.name in self.graph.choices for leaf in values.leaves(value))


def executions(graph: EventGraph) -> Iterator[OneExecution]:
    """Executions: threads one after the other, and, where they wait for each other at mbarriers, in turns."""
    in_turns = ({"turns": True, "ahead": True}, {"turns": True}) if graph.phases else ()
    for how in ({}, *in_turns):
        try:
            yield OneExecution(graph, **how)
        except NotKnownYetError:
            continue
