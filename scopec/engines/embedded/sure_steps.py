"""Steps that need not be interleaved: in systems of many threads they are taken at once, by one thread after the other.

A step is sure if it is promised, stays promised and enabled until it is taken, and leads to the same whichever steps of
others come before it.  Such are, of a device thread whose unit has started under a model that keeps on owing it steps,
its start, a turn of a loop without more, loads, stores and read-modify-writes of what is settled (System), arrivals at
collective barriers, and leaving these once the phase is over.  A state in which everything may stop has none, for a
promised step is enabled there; so it is reached with the sure steps on the way taken first
("persistent sets": Godefroid, "Partial-order methods for the verification of concurrent systems", 1996).

None may be taken for ever: it lies on no cycle of its machine, or only on loops that the thread's own registers end.
So none is taken on a cycle of states, and on a fair one none is enabled.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.graphs import components
from scopec.program import ir, values
from scopec.program.types import ArithmeticFault
from scopec.progress.steps import DONE, IDLE, Again, Either, Fork, Goto, Tick, Undefined, Wait, leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scopec.engines.embedded.stepping import Stepping
    from scopec.engines.embedded.terms import Compute, State
    from scopec.program.values import Value
    from scopec.progress.steps import Machine, Step, Tree
    from scopec.progress.system import System

#: Of systems with fewer device threads all interleavings are looked at: their traces are shortest ones.
MANY = 16
#: How many places of a thread are looked at to see whether it ends.
_MOST_PLACES = 2000

#: Where a thread is: its label, and the registers of which it knows what they hold.
_Place: TypeAlias = tuple[str, tuple[tuple[str, int], ...]]


class SureSteps:
    """The sure steps of a system."""

    def __init__(self, system: System, stepping: Stepping) -> None:
        self.system = system
        self.stepping = stepping
        self.threads = [stepping.number[t.name] for t in system.threads] if self._applies() else []
        once = frozenset(label for machine in system.machines.values() for label in _once(machine))
        every = frozenset(label for label, step in system.steps.items() if _is_sure(step, system))
        #: The labels of sure steps, by thread.
        self.labels = {n: every if _ends(system, stepping.threads[n]) else every & once for n in self.threads}
        #: Threads that need not be the first one of their unit to start: after another one all goes on alike.
        self.second = frozenset(self._second())

    def _applies(self) -> bool:
        """Whether promises last, nothing stops a thread from outside, and nobody asks whether it has ended yet."""
        system = self.system
        noticing = (ir.EndProcess, ir.Trap, ir.StreamQuery, ir.EventQuery)
        noticed = any(isinstance(step.operation, noticing) for step in system.steps.values())
        kept = system.readings.host_progress if system.model.has_host else system.model.keeps_started
        return len(system.threads) >= MANY and kept and not noticed

    def _second(self) -> Iterator[int]:
        begun: set[str] = set()
        for number in self.threads:
            entry, late, _ = self._starts[number]
            if late or entry in self.labels[number]:
                unit = self.system.unit_of[self.stepping.threads[number].name]
                if unit in begun:
                    yield number
                begun.add(unit)

    def after(self, state: State, moved: int | None = None) -> State:
        """The state after all sure steps; ``moved`` took a step from a state without any."""
        for _, _, found in self.steps(state, moved):
            state = found
        return state

    def steps(self, state: State, moved: int | None = None) -> Iterator[tuple[int, str, State]]:
        """The sure steps that are taken one after the other: who takes each, at which label, and the state after it."""
        units = self._units if moved is None else self._near.get(moved, self._units)
        again = bool(self.threads)
        while again:
            again = False
            for unit in units:
                if all(state[n] == IDLE for n in unit):
                    continue
                for number in unit:  # to the barrier, each of them, before one looks whether all are there
                    while (found := self._step(state, number)) is not None:
                        label, state = found
                        again = True
                        yield number, label, state
                for number in unit:
                    if (found := self._released(state, number)) is not None:
                        label, state = found
                        again = True
                        yield number, label, state

    def _released(self, state: State, number: int) -> tuple[str, State] | None:
        """The sure step of a thread that need not wait any longer."""
        label = state[number]
        if label not in self._blocking or label not in self.labels[number]:
            return None
        taken = self.stepping.step(number, label)(state)
        if not taken or taken[0][0][number] == self.system.steps[label].again:  # in vain, each turn a step
            return None
        return label, taken[0][0]

    def _step(self, state: State, number: int) -> tuple[str, State] | None:
        """The sure step of a thread, if it has one in a state, not one for which it may have to wait."""
        label = state[number]
        if label == DONE or label in self._blocking or (label != IDLE and label not in self.labels[number]):
            return None
        if label != IDLE:
            taken = self.stepping.step(number, label)(state)
            return (label, taken[0][0]) if taken else None
        entry, late, can_start = self._starts[number]
        if not can_start(state):
            return None
        if late:
            return label, (*state[:number], entry, *state[number + 1 :])
        if entry not in self.labels[number]:
            return None
        ((after, _),) = self.stepping.step(number, entry)(state)
        return label, after

    @cached_property
    def _blocking(self) -> frozenset[str]:
        """The labels at which a thread may have to wait, whichever of the two it has there."""
        return frozenset(label for step in self.system.steps.values() if step.blocks for label in step.labels)

    @cached_property
    def _near(self) -> Mapping[int, Sequence[Sequence[int]]]:
        """By thread the units in which its step may let others go on: those of its block, where no more is joined."""
        threads, system = self.stepping.threads, self.system
        waits = (step.operation.at for step in system.steps.values() if isinstance(step.operation, Wait))
        wide = any(isinstance(at, ir.GroupSync) and at.group in (ir.Group.CLUSTER, ir.Group.GRID) for at in waits)
        if wide or not {"CanStart"}.issuperset(self.stepping.rules.starting):
            return {}
        blocks: dict[str, list[Sequence[int]]] = defaultdict(list)
        for unit in self._units:
            for name in {threads[n].block_name for n in unit}:
                blocks[name].append(unit)
        return {n: blocks[threads[n].block_name] for n in self.threads}

    @cached_property
    def _units(self) -> Sequence[Sequence[int]]:
        """The threads by unit: none of these steps is the first of its unit."""
        units: dict[str, list[int]] = defaultdict(list)
        for number in self.threads:
            units[self.system.unit_of[self.stepping.threads[number].name]].append(number)
        return tuple(units.values())

    @cached_property
    def _starts(self) -> dict[int, tuple[str, bool, Compute]]:
        """Where each thread begins, whether it starts without a step of its own, and when it may start."""
        system, number = self.system, self.stepping.number
        late = frozenset(system.late_entries)
        entries = {t.name: system.begin(t).label for t in system.threads}
        return {
            number[t.name]: (entries[t.name], entries[t.name] in late, self.stepping.can_start(t))
            for t in system.threads
        }


def _once(machine: Machine) -> Iterator[str]:
    """The labels that a thread comes to once at most."""
    edges = {label: [e.label for e in leaves(s.tree) if e.label in machine.steps] for label, s in machine.steps.items()}
    for group in components(list(edges), lambda label: edges[label]):
        if len(group) == 1 and group[0] not in edges[group[0]]:
            yield group[0]


def _ends(system: System, thread: ir.Thread) -> bool:
    """Whether a thread comes to its end whatever it reads, by what it knows of its registers itself."""
    begin, builtins = system.begin(thread), thread.builtins or {}
    steps = {n: s for n, s in system.machine_of(thread).steps.items() if not isinstance(s.operation, Undefined)}
    first = begin.label, _known({name: _number(value, builtins) for name, value in begin.updates})
    edges: dict[_Place, list[_Place]] = {}
    work: list[_Place] = [first]
    while work and len(edges) < _MOST_PLACES:
        place = work.pop()
        if place not in edges and place[0] in steps:
            edges[place] = list(_following(steps[place[0]].tree, {**builtins, **dict(place[1])}, builtins))
            work += edges[place]
    groups = components(list(edges), lambda place: [p for p in edges[place] if p in edges])
    return not work and all(len(group) == 1 and group[0] not in edges[group[0]] for group in groups)


def _following(tree: Tree, known: Mapping[str, int], builtins: Mapping[str, int]) -> Iterator[_Place]:
    """Where a thread may be after a step, with what it knows of its registers then."""
    match tree:
        case Goto(label, updates):
            after = {**known, **{name: _number(value, known) for name, value in updates}}
            yield label, _known({name: number for name, number in after.items() if name not in builtins})
        case Fork(condition, then, otherwise):
            holds = _number(condition, known)
            if holds is None or holds:
                yield from _following(then, known, builtins)
            if not holds:
                yield from _following(otherwise, known, builtins)
        case Either(first, second):
            yield from _following(first, known, builtins)
            yield from _following(second, known, builtins)


def _known(registers: Mapping[str, int | None]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((name, number) for name, number in registers.items() if number is not None))


def _number(value: Value, known: Mapping[str, int]) -> int | None:
    """A value where what it needs is known."""
    try:
        return values.evaluate(value, lambda leaf: known[leaf.name])
    except (KeyError, ArithmeticFault):
        return None


def _is_sure(step: Step, system: System) -> bool:
    match step.operation:
        case ir.SyncThreads() | ir.GroupSync() | Tick():
            return True
        case Again():  # not of a step that leads there while it is blocked
            return not system.steps[step.of].blocks
        case ir.Load(place=place) | ir.Store(place=place) | ir.Rmw(place=place):
            return place.object in system.settled and step.guard is None
        case Wait(at):
            return not isinstance(at, ir.NamedBarrier)
        case _:
            return False
