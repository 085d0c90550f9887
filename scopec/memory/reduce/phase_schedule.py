"""One schedule of the operations on mbarriers: threads take turns, a copy is complete at its issue, waits pass at once.

It is computed where the program alone decides what is done to mbarriers: no operation on one depends on what is read
elsewhere, and whoever looks at one waits (a look that may find a phase not over is none of these).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.events.events import Event, EventGraph, Kind
from scopec.memory.reduce.edges_left import EdgesLeft
from scopec.memory.unfold.barriers import parts
from scopec.program import ir, values
from scopec.program.settled_phases import Kind as Did
from scopec.program.settled_phases import Operation
from scopec.program.values import FALSE, TRUE, Const

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scopec.memory.events.events import Wait
    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.unfolding import Phases, Unfolding
    from scopec.program.observe import Location
    from scopec.program.values import Builtin, Reg, Value


class _OpenError(Exception):
    """The program alone does not decide what is done to its mbarriers."""


class _LaterError(_OpenError):
    """It is decided by what another thread has not read yet."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The operations on each mbarrier in their order, by the write of each and the read of a wait.

    ``vain`` are the looks of those who wait for a phase that never ends.  ``numbers`` is what mbarriers are at the end,
    ``known`` what reads of them return and waits are given.
    """

    operations: Mapping[Location, Sequence[Operation]]
    vain: Mapping[Location, Sequence[Operation]]
    numbers: Mapping[Location, Const]
    known: Mapping[str, Const]


def scheduled(graph: EventGraph, out: Unfolding) -> Schedule | None:
    """A schedule in which every thread comes to its end, or waits for ever; None if the program alone gives none."""
    run = _Run(graph, out.phases)
    try:
        run.run()
    except _OpenError:
        return None
    return Schedule(run.operations, run.vain, run.numbers, {**run.read, **run.chosen})


class _Run:
    """The state of the schedule: how far threads are, the numbers of mbarriers, what was read."""

    def __init__(self, graph: EventGraph, phases: Phases) -> None:
        self.graph = graph
        self.phases = phases
        objects = graph.program.objects
        self.numbers: dict[Location, Const] = {}
        for event in graph.events:
            if event.kind is Kind.INIT and event.location and objects[event.location.object].use is ir.Use.MBARRIER:
                assert isinstance(event.value, Const)
                self.numbers[event.location] = event.value
        self.operations: dict[Location, list[Operation]] = defaultdict(list)
        self.vain: dict[Location, list[Operation]] = defaultdict(list)
        self.read: dict[str, Const] = {}
        self.chosen: dict[str, Const] = {}
        self.outcomes: dict[int, bool] = {}
        events = [e for e in graph.events if e.kind is not Kind.INIT]
        self.threads: dict[str, list[tuple[int, Event]]] = defaultdict(list)
        for place, event in enumerate(events):
            self.threads[event.thread].append((place, event))
        self.waits: dict[tuple[str, int], list[Wait]] = defaultdict(list)
        for wait in graph.waits:
            if not wait.event and any(e.location in self.numbers for e in events[wait.position : wait.end]):
                self.waits[wait.thread, wait.position].append(wait)
        self.edges = EdgesLeft(graph)
        for event in graph.events:
            if event.kind is Kind.INIT:
                self.edges.passed(event)

    def run(self) -> None:
        """Let each thread come to its end, or to a wait for a phase that never ends; _OpenError if one does neither."""
        at = dict.fromkeys(self.threads, 0)
        moved, later = True, False
        while moved:
            moved = later = False
            for thread, events in self.threads.items():
                while at[thread] < len(events):
                    try:
                        steps = self._steps(events, at[thread])
                    except _LaterError:
                        later = True
                        break
                    if not steps:
                        break
                    at[thread] += steps
                    moved = True
        if later:
            raise _OpenError
        self._stop([events[at[thread] :] for thread, events in self.threads.items() if at[thread] < len(events)])

    def _stop(self, left: Sequence[Sequence[tuple[int, Event]]]) -> None:
        """Let those look in vain who wait at an mbarrier; what is left then is there only if they find it over.

        It makes no phase end before which it comes, for looks acquire and arrivals release.
        """
        for events in left:
            place, event = events[0]
            for wait in self.waits.get((event.thread, place), ()):
                if self._known(wait.reached):
                    self._wait(wait, [e for n, e in events if n < wait.end], stops=True)
        looked = {o.name for own in self.vain.values() for o in own}
        for event in (e for events in left for _, e in events):
            arrives = event.rmw in self.phases.arrivals
            order = ir.Order.RELEASE if arrives else ir.Order.ACQUIRE if event.id in looked else event.order
            if event.order is not order or (event.id not in looked and self._known(event.guard, choose=True)):
                raise _OpenError

    def _steps(self, events: Sequence[tuple[int, Event]], at: int) -> int:
        """Take the next step of a thread: how many events it is, 0 if the thread has to wait."""
        place, event = events[at]
        waits = self.waits.get((event.thread, place), ())
        if len(waits) > 1:
            raise _OpenError
        for wait in waits:
            if self._known(wait.reached):
                return self._wait(wait, [e for n, e in events[at:] if n < wait.end])
        if self.edges.hold_up(event):
            return 0
        if event.location in self.numbers:
            if self._known(event.guard):
                self._perform(
                    event, events[at - 1][1] if at else None, events[at + 1][1] if at + 1 < len(events) else None
                )
        elif event.kind in (Kind.ARRIVE, Kind.WAIT, Kind.ISSUE):
            self._known(event.guard)
        self.edges.passed(event)
        return 1

    def _perform(self, event: Event, last: Event | None, following: Event | None) -> None:
        """An access to an mbarrier by who does not wait."""
        at = event.location
        assert at is not None
        if event.kind is Kind.READ:
            half = event.rmw is not None or (following is not None and following.writes and following.location == at)
            if event.id in self.phases.looks or not half:
                raise _OpenError
            self.read[event.id] = self.numbers[at]
            return
        assert event.value is not None
        before, number = self.numbers[at], values.substitute(event.value, self._leaf)
        read = event.rmw or (last.id if last is not None and last.location == at and last.kind is Kind.READ else "")
        if not isinstance(number, Const) or read not in self.read:
            raise _OpenError
        self.numbers[at] = number
        self._note(event, self._kind(event, read, before, number), before)

    def _kind(self, event: Event, read: str, before: Const, after: Const) -> Did:
        """The kind of an operation that writes."""
        if read in self.phases.arrivals:
            return Did.ARRIVE
        if event.rmw is not None:
            return Did.COMPLETE if read in self.phases.changes else Did.EXPECT
        expected = parts(before.value)["expected"], parts(after.value)["expected"]
        if parts(after.value)["bytes"] or bool(expected[0]) == bool(expected[1]):
            raise _OpenError  # no state that is made
        return Did.INIT if expected[1] else Did.END

    def _note(self, event: Event, kind: Did, found: Const) -> None:
        assert event.location is not None
        self.operations[event.location].append(self._operation(event, kind, parts(found.value)["phase"]))

    def _operation(self, event: Event, kind: Did, phase: int) -> Operation:
        assert event.location is not None
        after = parts(self.numbers[event.location].value)
        return Operation(event.id, event.thread, kind, phase, after["expected"], after["pending"], after["bytes"])

    # ---- waits

    def _wait(self, wait: Wait, events: Sequence[Event], *, stops: bool = False) -> int:
        """Pass a wait at its first look, which is all that the thread does there; 0 if the phase is not over.

        With ``stops`` it will never be.
        """
        before = dict(self.read), dict(self.outcomes), dict(self.chosen)
        try:
            looks = list(self._looks(events))
            passed = self._known(wait.passed, choose=True)
        except _LaterError:
            self.read, self.outcomes, self.chosen = before
            raise
        if not passed and not stops:
            self.read, self.outcomes, self.chosen = before
            return 0
        for look in looks:
            if values.substitute(self.phases.looks[look.id][1], self._leaf) != (TRUE if passed else FALSE):
                raise _OpenError
            assert look.location is not None
            phase = parts(self.read[look.id].value)["phase"]
            noted = self.operations if passed else self.vain
            noted[look.location].append(self._operation(look, Did.WAIT, phase - passed))
        for event in events:
            self.edges.passed(event)
        return len(events)

    def _looks(self, events: Sequence[Event]) -> Iterator[Event]:
        """Look at mbarriers, as a wait does."""
        for event in events:
            if self._known(event.guard, choose=True):
                at = event.location
                if event.kind is not Kind.READ or at not in self.numbers or event.id not in self.phases.looks:
                    raise _OpenError
                self.read[event.id] = self.numbers[at]
                yield event

    # ---- what is known

    def _known(self, guard: Guard, *, choose: bool = False) -> bool:
        """Whether a path is the one that is taken; _OpenError where that is not known."""
        while not ((guard := guard.along(self.outcomes)).always or guard.never):
            number, _, _ = guard.branch
            value = values.substitute(self.graph.conditions[number], self._leaf)
            if not isinstance(value, Const) and choose:
                value = self._chosen(value)
            if not isinstance(value, Const):
                unread = (leaf.name in self._reads and leaf.name not in self.read for leaf in values.leaves(value))
                raise _LaterError if any(unread) else _OpenError
            self.outcomes[number] = value != FALSE
        return guard.always

    def _chosen(self, value: Value) -> Value:
        """A condition of a wait that does not give up for no reason: who does looks again."""
        for leaf in values.leaves(value):
            choice = self.graph.choices.get(leaf.name)
            if choice is not None and choice.values == (0, 1) and self._uses[leaf.name] == 1:
                self.chosen[leaf.name] = Const(1, leaf.type)
        return values.substitute(value, self._leaf)

    @cached_property
    def _reads(self) -> frozenset[str]:
        """What reads mbarriers."""
        return frozenset(e.id for e in self.graph.events if e.kind is Kind.READ and e.location in self.numbers)

    @cached_property
    def _uses(self) -> Counter[str]:
        """In how many conditions each choice is."""
        return Counter(name for c in self.graph.conditions for name in {leaf.name for leaf in values.leaves(c)})

    def _leaf(self, leaf: Reg | Builtin) -> Value:
        return self.read.get(leaf.name, self.chosen.get(leaf.name, leaf))
