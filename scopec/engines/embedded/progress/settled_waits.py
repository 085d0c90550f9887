"""Threads whose operations on mbarriers find the same phases in every schedule, and their steps there.

The operations of each thread are those of its one way, on which it finds every wait over: nothing that it reads leads
elsewhere.  They are put into one schedule, in which threads take turns, and that schedule is looked at
(:mod:`scopec.program.settled_phases`).  What else orders threads than mbarriers, ``__syncthreads`` and the barriers of
lanes is left out: more order takes schedules away, and in each of the others the phases are the same.

The schedule may stop at waits for phases that never end.  What comes behind one is in no schedule, unless the wait
finds a phase over all the same, and that is what the conditions exclude.  At a barrier nobody may be left, since that
may not wait for threads that have ended; so each thread comes there as often as the others, and before it ends.

A loop around a test is a wait where a test that fails leads back to it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.engines.embedded.progress.places import Place, acyclic, following, known, number
from scopec.program import ir, values
from scopec.program.collective import Barrier, barrier_of
from scopec.program.observe import instance
from scopec.program.settled_phases import Kind, Operation, settled
from scopec.program.types import ArithmeticFault
from scopec.progress.steps import DONE, EXPECTED, LATE, PHASE, Again, Goto, Operated, Tick, Undefined, Wait

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from scopec.program.values import Value
    from scopec.progress.steps import Step
    from scopec.progress.system import System

#: Phases of which a wait that is for one finds some over and some not.
_PHASES = range(1, 4)
#: How many steps of a thread are looked at.
_MOST_STEPS = 5000


@dataclass(frozen=True, slots=True)
class _Act:
    """An operation on the mbarrier ``at``: so many arrivals and bytes; ``over`` holds of a phase that ends a wait.

    It is over ``register``, with what is ``known`` of others.  An arrival that comes ``later`` is behind copies.
    Without a kind it is a meeting at the barrier ``at``.
    """

    at: Hashable = None
    kind: Kind | None = None
    count: int = 0
    bytes: int = 0
    over: Value | None = None
    register: str = ""
    known: tuple[tuple[str, int], ...] = ()
    later: bool = False

    def ends(self, phase: int) -> bool | None:
        """Whether a wait is over in a phase; None if that is not known."""
        assert self.over is not None
        registers = {**dict(self.known), self.register: phase}
        try:
            return bool(values.evaluate(self.over, lambda leaf: registers[leaf.name]))
        except (KeyError, ArithmeticFault):
            return None


@dataclass(frozen=True, slots=True)
class Way:
    """The operations of a thread in program order, and the labels of its steps at mbarriers.

    ``loops`` gives for each label of a loop around a test all labels of that loop.
    """

    acts: tuple[_Act, ...]
    labels: frozenset[str]
    loops: Mapping[str, frozenset[str]]


def settled_ways(system: System) -> Mapping[str, Way]:
    """By the name of each device thread its way, if all mbarriers of the system are settled; else nothing."""
    operations = (step.operation for step in system.steps.values())
    if not any(isinstance(operation, ir.BarrierOperation) for operation in operations):
        return {}
    if any(object_.use is ir.Use.BARRIER for object_ in system.program.objects.values()):
        return {}
    ways: dict[str, Way] = {}
    for thread in system.threads:
        way = _way(system, thread)
        if way is None:
            return {}
        ways[thread.name] = way
    return ways if _Schedule(system, ways).is_settled() else {}


# ---------------------------------------------------------------- the way of a thread


def _way(system: System, thread: ir.Thread) -> Way | None:
    """The one way of a thread; None if it may go others."""
    machine, begin, builtins = system.machine_of(thread), system.begin(thread), thread.builtins or {}
    steps = machine.steps
    updates = {name: number(value, builtins) for name, value in begin.updates}
    place: Place = begin.label, known({**dict.fromkeys(machine.registers, 0), **updates})
    acts: list[_Act] = []
    labels: set[str] = set()
    loops: dict[str, frozenset[str]] = {}
    for _ in range(_MOST_STEPS):
        if place[0] == DONE:
            return Way(tuple(acts), frozenset(labels), loops)
        step = steps.get(place[0])
        if step is None:
            return None
        registers = {**builtins, **dict(place[1])}
        ways = {w for w in following(step.tree, registers, builtins) if not _is_undefined(steps, w)}
        operation = step.operation
        if isinstance(operation, ir.BarrierOperation):
            act = _act(system, thread, operation, registers)
            if act is None:
                return None
            acts.append(act)
            labels.add(step.label)
            if act.kind is Kind.WAIT:
                found = _looked(step, act, registers, builtins)
                if found is None:
                    return None
                passed, failed = (_loop(steps, place, places, builtins) for places in found)
                if failed is None or failed[1] or passed is None:
                    return None
                loop = failed[0] | passed[0] | {*step.labels}
                loops |= dict.fromkeys(loop, loop)
                ways = passed[1]
        elif isinstance(operation, Wait) and (barrier := _barrier(thread, operation.at)) is not None:
            if isinstance(operation.at, ir.GroupSync) and not operation.at.waits:
                return None
            acts.append(_Act(barrier))
        if len(ways) != 1:
            return None
        (place,) = ways
    return None


def _barrier(thread: ir.Thread, at: ir.SyncThreads | ir.GroupSync | ir.NamedBarrier) -> Barrier | None:
    """The barrier of a block or of lanes at which a thread waits; None if it is another."""
    match at:
        case ir.NamedBarrier() | ir.GroupSync(ir.Group.CLUSTER | ir.Group.GRID):
            return None
        case ir.SyncThreads() | ir.GroupSync():
            return barrier_of(thread, at)


def _is_undefined(steps: Mapping[str, Step], place: Place) -> bool:
    return place[0] in steps and isinstance(steps[place[0]].operation, Undefined)


def _looked(
    step: Step, act: _Act, registers: Mapping[str, int], builtins: Mapping[str, int]
) -> tuple[set[Place], set[Place]] | None:
    """The places after a look that finds a phase over, and after one that finds none, or bytes still in flight.

    None if it is not known which phases are over.
    """
    over, other = (next((p for p in _PHASES if act.ends(p) is holds), None) for holds in (True, False))
    if over is None or other is None:
        return None

    def after(phase: int, late: int, ends: Callable[[Goto], bool] = lambda _: True) -> set[Place]:
        state = {EXPECTED: 1, PHASE: phase, LATE: late}
        return set(following(step.tree, {**registers, **state}, {**builtins, **state}, ends))

    return after(over, 0), after(other, 0) | after(over, 1, lambda end: not _finds_over(end))


def _finds_over(leaf: Goto) -> bool:
    return isinstance(leaf.write, Operated) and leaf.write.over


def _loop(
    steps: Mapping[str, Step], look: Place, after: set[Place], builtins: Mapping[str, int]
) -> tuple[frozenset[str], set[Place]] | None:
    """The labels from a look on by steps that nobody else takes part in, and where these lead but to the look again.

    None if a thread may stay among these steps for ever.
    """
    edges: dict[Place, list[Place]] = {}
    out: set[Place] = set()
    work = list(after)
    while work:
        place = work.pop()
        if place == look or place in edges or place in out:
            continue
        if place[0] in steps and _is_local(steps[place[0]]):
            edges[place] = list(following(steps[place[0]].tree, {**builtins, **dict(place[1])}, builtins))
            work += edges[place]
        else:
            out.add(place)
    return (frozenset({look[0], *(label for label, _ in edges)}), out) if acyclic(edges) else None


def _is_local(step: Step) -> bool:
    """Whether nothing but the thread itself takes part in a step."""
    return isinstance(step.operation, ir.Decide | Again | Tick)


def _act(
    system: System, thread: ir.Thread, operation: ir.BarrierOperation, registers: Mapping[str, int]
) -> _Act | None:
    """The operation of a step at an mbarrier; None where its mbarrier, count or bytes are not known."""
    place = operation.place
    index = number(place.index, registers)
    at = place.object, index, instance(system.program.objects[place.object], thread)
    match operation:
        case ir.BarrierInit(_, None):
            act: _Act | None = _Act(at, Kind.END)
        case ir.BarrierInit(_, count):
            assert count is not None
            act = _counted(at, Kind.INIT, number(count, registers), 0)
        case ir.BarrierArrive(_, _, update, _, drop, expect):
            more = 0 if expect is None else number(expect, registers)
            act = (
                None
                if drop or operation.is_ordered
                else _counted(at, Kind.ARRIVE, number(update, registers), more, later=operation.later)
            )
        case ir.BarrierExpect(_, bytes_):
            more = number(bytes_, registers)
            kind = Kind.COMPLETE if more is not None and more < 0 else Kind.EXPECT
            act = None if operation.arrivals else _counted(at, kind, 0, more)
        case ir.BarrierWait(target, _, condition) | ir.BarrierTest(target, _, condition):
            found = tuple((name, value) for name, value in registers.items() if name != target)
            act = _Act(at, Kind.WAIT, over=condition, register=target, known=found)
    return None if index is None else act


def _counted(at: Hashable, kind: Kind, count: int | None, bytes_: int | None, *, later: bool = False) -> _Act | None:
    return None if count is None or bytes_ is None else _Act(at, kind, count, bytes_, later=later)


# ---------------------------------------------------------------- the schedule


class _Schedule:
    """The state of the schedule: how far each thread is, what comes before it there, and the mbarriers."""

    def __init__(self, system: System, ways: Mapping[str, Way]) -> None:
        self.acts = {name: way.acts for name, way in ways.items()}
        barriers = {act.at for way in ways.values() for act in way.acts if isinstance(act.at, Barrier)}
        self.members = {b: tuple(t.name for t in system.threads if b.joins(t)) for b in barriers}
        self.at = dict.fromkeys(ways, 0)
        #: By thread how many acts of each thread come before its next one.
        self.clocks: dict[str, dict[str, int]] = {name: {} for name in ways}
        self.states: dict[Hashable, _State] = {}
        self.operations: dict[Hashable, list[Operation]] = defaultdict(list)
        self.before: dict[str, dict[str, int]] = {}
        #: What comes before the waits for a phase of an mbarrier.
        self.released: dict[tuple[Hashable, int], dict[str, int]] = defaultdict(dict)

    def is_settled(self) -> bool:
        """Whether the schedule breaks no rule, and says which phases there are in all others."""
        moved = True
        while moved:
            moved = False
            for thread, acts in self.acts.items():
                while self.at[thread] < len(acts):
                    done = self._take(thread, acts[self.at[thread]])
                    if done is None:
                        return False
                    if not done:
                        break
                    moved = True
            moved = self._meet() or moved
        for thread, acts in self.acts.items():
            if self.at[thread] == len(acts):
                continue
            act = acts[self.at[thread]]
            if act.kind is None:  # it may be that the barrier does not wait for who has ended
                return False
            state = self.states[act.at]  # of a wait for a phase that never ends
            self._note(thread, act, state.phase, state)
        return all(settled(own, self._is_before) for own in self.operations.values())

    def _is_before(self, one: Operation, other: Operation) -> bool:
        return one.name != other.name and self.before[other.name].get(one.thread, 0) >= int(one.name.split()[-1])

    def _meet(self) -> bool:
        """Let the threads leave a barrier that are all there."""
        moved = False
        for barrier, threads in self.members.items():
            if all(self.at[t] < len(self.acts[t]) and self.acts[t][self.at[t]].at == barrier for t in threads):
                clock: dict[str, int] = {}
                for thread in threads:
                    _join(clock, self.clocks[thread])
                    clock[thread] = self.at[thread] + 1
                for thread in threads:
                    self.clocks[thread] = dict(clock)
                    self.at[thread] += 1
                moved = True
        return moved

    def _take(self, thread: str, act: _Act) -> bool | None:
        """Take the next act of a thread: whether it need not wait; None where it breaks a rule, or nobody knows."""
        if act.kind is None:
            return False
        state = self.states.get(act.at)
        if act.kind is Kind.INIT:
            if state is not None or act.count < 1:
                return None
            state = self.states[act.at] = _State(act.count, act.count)
        elif state is None or state.ended:
            return None
        phase = state.phase
        if act.kind is Kind.WAIT:
            over = act.ends(phase)
            if not over:
                return over
            phase -= 1
            _join(self.clocks[thread], self.released[act.at, phase])
            state.served, state.late = True, False
        elif act.kind is Kind.END:
            state.ended = True
        elif act.kind is not Kind.INIT and not state.changed(act):
            return None
        self._note(thread, act, phase, state)
        if act.kind is Kind.ARRIVE:
            _join(self.released[act.at, phase], self.clocks[thread])
        return True

    def _note(self, thread: str, act: _Act, phase: int, state: _State) -> None:
        assert act.kind is not None
        name = f"{thread} {self.at[thread] + 1}"
        self.before[name] = dict(self.clocks[thread])
        found = Operation(name, thread, act.kind, phase, state.expected, state.pending, state.bytes, later=act.later)
        self.operations[act.at].append(found)
        self.at[thread] += 1
        self.clocks[thread][thread] = self.at[thread]


@dataclass(slots=True)
class _State:
    """The state of an mbarrier in the schedule, as :mod:`scopec.progress.rules.mbarriers` has it."""

    expected: int
    pending: int
    phase: int = 0
    bytes: int = 0
    served: bool = True
    copied: bool = False
    late: bool = False
    ended: bool = False

    def changed(self, act: _Act) -> bool:
        """Arrive, or change the bytes; False where that breaks a rule."""
        if act.kind is Kind.ARRIVE and not (1 <= act.count <= self.pending and self.served):
            return False
        if act.kind is not Kind.ARRIVE and (self.late or (act.bytes > 0 and self.pending == 0 and self.bytes < 0)):
            return False
        self.pending -= act.count
        self.bytes += act.bytes
        self.copied = self.copied or act.bytes < 0 or act.later
        if self.pending == 0 and self.bytes == 0:
            self.phase, self.pending, self.served = self.phase + 1, self.expected, False
            self.late, self.copied = self.copied, False
        return True


def _join(clock: dict[str, int], other: Mapping[str, int]) -> None:
    for thread, count in other.items():
        clock[thread] = max(count, clock.get(thread, 0))
