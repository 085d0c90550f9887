"""One schedule of the operations on mbarriers: threads take turns, a copy is complete at its issue, waits pass at once.

It is computed where the program alone decides what is done to mbarriers: no operation on one depends on what is read
elsewhere, and whoever looks at one waits, and goes on only where each of its looks finds what it does here (a look that
may find a phase not over is none of these, and no wait is one that another look ends as well).  Where a choice decides
who does it, as which lane of a warp is elected, there is one for each case: every execution is in one of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.events.events import Event, EventGraph, Kind
from scopec.memory.reduce.edges_left import EdgesLeft
from scopec.memory.unfold.barriers import PHASE, parts
from scopec.program import ir, values
from scopec.program.settled_phases import Kind as Did
from scopec.program.settled_phases import Operation
from scopec.program.values import FALSE, TRUE, Const

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from scopec.memory.events.events import Wait
    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.unfolding import Phases, Unfolding
    from scopec.program.observe import Location
    from scopec.program.values import Builtin, Reg, Value

#: More cases than these are not looked at: those of a warp that elects a lane, and of one more choice.
MOST_CASES = 64


class _OpenError(Exception):
    """The program alone does not decide what is done to its mbarriers."""


class _ChoiceError(_OpenError):
    """It is decided by a choice."""

    def __init__(self, choice: Reg | Builtin) -> None:
        super().__init__(choice.name)
        self.choice = choice


class _LaterError(_OpenError):
    """It is decided by what another thread has not read yet."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The operations on each mbarrier in their order, by the write of each and the read of a wait.

    ``vain`` are the looks of those who wait for a phase that never ends.  ``numbers`` is what mbarriers are at the end,
    ``known`` what reads of them return and waits are given, ``outcomes`` what conditions are, by their numbers.
    """

    operations: Mapping[Location, Sequence[Operation]]
    vain: Mapping[Location, Sequence[Operation]]
    numbers: Mapping[Location, Const]
    known: Mapping[str, Const]
    outcomes: Mapping[int, bool]


def scheduled(graph: EventGraph, out: Unfolding) -> Sequence[Schedule]:
    """For each case a schedule in which every thread comes to its end, or waits for ever.

    There is none if the program alone gives none, or if a read of an mbarrier, or an mbarrier at the end, is not the
    same in all cases in which it is there.
    """
    cases: list[dict[str, Const]] = [{}]
    found: list[Schedule] = []
    decided: set[str] = set()
    while cases:
        case = cases.pop()
        run = _Run(graph, out.phases, case)
        try:
            run.run()
        except _ChoiceError as open_:
            name, type_ = open_.choice.name, open_.choice.type
            decided.add(name)
            cases += ({**case, name: Const(one, type_)} for one in graph.choices[name].values)
            if len(cases) + len(found) > MOST_CASES:
                return ()
        except _OpenError:
            return ()
        else:
            found.append(
                Schedule(run.operations, run.vain, run.numbers, {**run.read, **run.chosen}, dict(run.outcomes))
            )
    return found if _agree(found, decided) else ()


def _agree(found: Sequence[Schedule], decided: AbstractSet[str]) -> bool:
    """Whether what is known in one case is not known to be another in another, and each event does one thing."""
    known: dict[str, Const] = {}
    done: dict[str, tuple[Did, int]] = {}
    for one in found:
        if one.numbers != found[0].numbers or not decided.isdisjoint(one.known):
            return False
        if any(known.setdefault(name, value) != value for name, value in one.known.items()):
            return False
        operations = (o for own in (*one.operations.values(), *one.vain.values()) for o in own)
        if any(done.setdefault(o.name, (o.kind, o.phase)) != (o.kind, o.phase) for o in operations):
            return False
    return True


class _Run:
    """The state of the schedule: how far threads are, the numbers of mbarriers, what was read.

    ``case`` is what choices are in it that decide what is done.
    """

    def __init__(self, graph: EventGraph, phases: Phases, case: Mapping[str, Const]) -> None:
        self.graph = graph
        self.phases = phases
        self.case = case
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
        self._names: dict[int, Value] = {}
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
        self._passed: set[str] = set()
        for event in graph.events:
            if event.kind is Kind.INIT:
                self._pass(event)

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
            self._pass_left_out([event.id, *self.edges.before(event)])
            if self.edges.hold_up(event) and event.id not in self._passed:
                return 0
        if event.location in self.numbers:
            if self._known(event.guard):
                self._perform(
                    event, events[at - 1][1] if at else None, events[at + 1][1] if at + 1 < len(events) else None
                )
        elif event.kind in (Kind.ARRIVE, Kind.WAIT, Kind.ISSUE):
            self._known(event.guard)
        self._pass(event)
        return 1

    def _pass(self, event: Event) -> None:
        """Take note that an event is executed, or never will be."""
        if event.id not in self._passed:
            self._passed.add(event.id)
            self.edges.passed(event)

    def _pass_left_out(self, names: Iterable[str]) -> None:
        """Take note of which events are on a path that is known not to be taken, whether or not they are come to."""
        for name in names:
            if name not in self._passed:
                other = self.graph.by_id[name]
                with suppress(_LaterError):
                    if not self._known(other.guard):
                        self._pass(other)

    def _perform(self, event: Event, last: Event | None, following: Event | None) -> None:
        """An access to an mbarrier by who does not wait."""
        at = event.location
        assert at is not None
        if event.kind is Kind.READ:
            half = event.rmw is not None or (following is not None and following.writes and following.location == at)
            if event.id in self.phases.looks or not half:
                raise _OpenError
            self._found(event, self.numbers[at])
            return
        assert event.value is not None
        before, number = self.numbers[at], self._substituted(event.value)
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
        later = kind is Did.ARRIVE and bool(event.agent)
        counts = after["expected"], after["pending"], after["bytes"]
        return Operation(event.id, event.thread, kind, phase, *counts, later=later)

    # ---- waits

    def _wait(self, wait: Wait, events: Sequence[Event], *, stops: bool = False) -> int:
        """Pass a wait at its first look, which is all that the thread does there; 0 if the phase is not over.

        With ``stops`` it will never be.
        """
        before = dict(self.read), dict(self.outcomes), dict(self.chosen)
        known, passes = {**self.case, **self.chosen, **self.read}, wait.passed.along(self.outcomes)
        try:
            looks = list(self._looks(events))
            passed = self._known(wait.passed, choose=True)
        except _LaterError:
            self.read, self.outcomes, self.chosen, self._names = *before, {}
            raise
        if not passed and not stops:
            self.read, self.outcomes, self.chosen, self._names = *before, {}
            return 0
        for look in looks:
            if self._substituted(self.phases.looks[look.id][1]) != (TRUE if passed else FALSE):
                raise _OpenError
            assert look.location is not None
            phase = parts(self.read[look.id].value)["phase"]
            if passed and self._passes_without(passes, events, look, known):
                raise _OpenError  # in another execution it may be passed by other looks
            noted = self.operations if passed else self.vain
            noted[look.location].append(self._operation(look, Did.WAIT, phase - passed))
        for event in events:
            self._pass(event)
        return len(events)

    def _passes_without(self, passes: Guard, events: Sequence[Event], look: Event, before: Mapping[str, Const]) -> bool:
        """Whether a wait may be passed where all that look at one mbarrier there find it a phase earlier.

        It ``passes`` on these paths.  Other looks of the wait may find anything; ``before`` is what is known before it.
        """
        found = self.read[look.id]
        earlier = Const(found.value + (-PHASE if parts(found.value)["phase"] else PHASE), found.type)
        known = {**before, **dict.fromkeys((e.id for e in events if e.location == look.location), earlier)}
        done: dict[int, Value] = {}
        work, seen = [passes], set[int]()
        while work:
            guard = work.pop()
            if guard.always:
                return True
            if guard.never or guard.node in seen:
                continue
            seen.add(guard.node)
            number, no, yes = guard.branch
            value = values.substitute(self.graph.conditions[number], lambda leaf: known.get(leaf.name, leaf), done)
            outcomes = self._outcomes(value)
            work += [way for outcome, way in ((False, no), (True, yes)) if outcome in outcomes]
        return False

    def _outcomes(self, condition: Value) -> AbstractSet[bool]:
        """How a condition may come out, if nothing is known of what is read, and any choice may be made."""
        if isinstance(condition, Const):
            return {condition != FALSE}
        leaf, *more = set(values.leaves(condition))
        choice = None if more else self.graph.choices.get(leaf.name)
        if choice is None:
            return {False, True}
        return {bool(values.evaluate(condition, {leaf: one}.__getitem__)) for one in choice.values}

    def _looks(self, events: Sequence[Event]) -> Iterator[Event]:
        """Look at mbarriers, as a wait does."""
        for event in events:
            if self._known(event.guard, choose=True):
                at = event.location
                if event.kind is not Kind.READ or at not in self.numbers or event.id not in self.phases.looks:
                    raise _OpenError
                self._found(event, self.numbers[at])
                yield event

    # ---- what is known

    def _found(self, read: Event, number: Const) -> None:
        """Take note of what a read returns."""
        self.read[read.id] = number
        self._names.clear()

    def _substituted(self, value: Value) -> Value:
        """A value with what is known in it; of named ones it is kept until more is."""
        return values.substitute(value, self._leaf, self._names)

    def _known(self, guard: Guard, *, choose: bool = False) -> bool:
        """Whether a path is the one that is taken; _OpenError where that is not known."""
        while not ((guard := guard.along(self.outcomes)).always or guard.never):
            number, _, _ = guard.branch
            value = self._substituted(self.graph.conditions[number])
            if not isinstance(value, Const) and choose:
                value = self._chosen(value)
            if not isinstance(value, Const):
                leaves = tuple(values.leaves(value))
                if any(leaf.name in self._reads and leaf.name not in self.read for leaf in leaves):
                    raise _LaterError
                if all(leaf.name in self.graph.choices for leaf in leaves):
                    raise _ChoiceError(leaves[0])
                raise _OpenError
            self.outcomes[number] = value != FALSE
        return guard.always

    def _chosen(self, value: Value) -> Value:
        """A condition of a wait that does not give up for no reason: who does looks again."""
        for leaf in values.leaves(value):
            choice = self.graph.choices.get(leaf.name)
            if choice is not None and choice.values == (0, 1) and self._uses[leaf.name] == 1:
                self.chosen[leaf.name] = Const(1, leaf.type)
                self._names.clear()
        return self._substituted(value)

    @cached_property
    def _reads(self) -> frozenset[str]:
        """What reads mbarriers."""
        return frozenset(e.id for e in self.graph.events if e.kind is Kind.READ and e.location in self.numbers)

    @cached_property
    def _uses(self) -> Counter[str]:
        """In how many conditions each choice is."""
        return Counter(name for c in self.graph.conditions for name in {leaf.name for leaf in values.leaves(c)})

    def _leaf(self, leaf: Reg | Builtin) -> Value:
        for known in (self.read, self.chosen, self.case):
            if leaf.name in known:
                return known[leaf.name]
        return leaf
