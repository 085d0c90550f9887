"""Steps that need not be interleaved: in systems of many threads they are taken at once, by one thread after the other.

A step is sure if it is promised, stays promised and enabled until it is taken, and leads to the same whichever steps of
others come before it.  Such are, of a device thread whose unit has started under a model that keeps on owing it steps,
its start, a turn of a loop without more, accesses to what decides nothing, loads, stores and read-modify-writes of what
is settled (System), loads of what no step writes, arrivals at collective barriers, and leaving these once the phase is
over; at barriers with names if each arrival is of one phase whatever the schedule
(:func:`scopec.engines.embedded.progress.places.in_one_phase`); at mbarriers if they are settled
(:mod:`scopec.engines.embedded.progress.settled_waits`): arrivals of a phase lead to the same in any order, and that a
phase is over lasts until those have looked who wait for it.  A look that is free to give up, or to find bytes still in
flight, changes nothing where it does, and is owed the other way.

A state in which everything may stop has none, for a promised step is enabled there; so it is reached with the sure
steps on the way taken first ("persistent sets": Godefroid, "Partial-order methods for the verification of concurrent
systems", 1996).

That a thread starts is sure even where its first step is not: a unit of which a thread has started starts as a whole
(``whole_units``).  Its other threads are owed their first steps from then on, whether they have started or not; so each
takes it, or finds at times that it leads back to where it was, which it may do as its start.  That it has started shows
in nothing but whether the device is quiet, and before its first step for a finite time only.

A step of a thread's own arithmetic alone is sure on a cycle too (``fused``), unless that is one of silent steps, which
is looked for itself: it is made with the step before it, and on each other cycle there is another one.

None may be taken for ever: it lies on no cycle of its machine, or only on loops that the thread's own registers end;
the first step of a thread lies on none where it is its start too.
So none is taken on a cycle of states but those from a look in vain back to it, and on a fair one none is enabled.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scopec.base.graphs import components
from scopec.engines.embedded.progress.places import ends, in_one_phase
from scopec.engines.embedded.progress.settled_waits import settled_ways
from scopec.engines.embedded.progress.stepping import changed
from scopec.program import ir
from scopec.program.collective import by_chance
from scopec.progress.promises import is_choice
from scopec.progress.slicing import touched
from scopec.progress.steps import DONE, IDLE, Again, Tick, Wait, leaves
from scopec.progress.system import QUERIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scopec.engines.embedded.progress.stepping import Changes, Stepping
    from scopec.engines.embedded.progress.terms import Compute, State
    from scopec.progress.steps import Machine, Step
    from scopec.progress.system import System

#: How often the sure steps of some units are noted, beyond how often that has spared them, and at most.
TRIED = 64
_MOST_NOTED = 1024


class SureSteps:
    """The sure steps of a system."""

    def __init__(self, system: System, stepping: Stepping) -> None:
        self.system = system
        self.stepping = stepping
        reductions, device = system.reductions, [stepping.number[t.name] for t in system.threads]
        several, many = len(device) >= reductions.several, len(device) >= reductions.many
        kept = _keeps(system)
        #: Whether sure steps of all kinds might be taken, were there more threads.
        self.more = kept and reductions.sure_steps and not many
        once = frozenset(label for machine in system.machines.values() for label in _once(machine))
        fused = _fused(system) if kept and reductions.fused else frozenset[str]()
        #: Whether a unit starts as a whole.
        self.whole = kept and reductions.whole_units and several
        #: The device threads, if sure steps of all kinds are taken; if any are.
        self.threads = device if kept and reductions.sure_steps and many else []
        self.acting = device if self.threads or self.whole or fused else []
        written = stepping.written_objects
        every = frozenset(label for label, step in system.steps.items() if _is_sure(step, system, written))
        #: The labels of sure steps, by thread.
        self.labels = dict.fromkeys(self.acting, fused)
        for n in self.threads:
            self.labels[n] |= every if ends(system, stepping.threads[n]) else every & once
        named = frozenset(label for label, step in system.steps.items() if _is_named(step))
        for name in in_one_phase(system) if self.threads else ():
            self.labels[stepping.number[name]] |= named
        #: The loops around looks at mbarriers, by the labels in each, by thread.
        self.loops: dict[int, Mapping[str, frozenset[str]]] = {}
        for name, way in (settled_ways(system) if self.threads else {}).items():
            self.labels[stepping.number[name]] |= every | way.labels
            self.loops[stepping.number[name]] = way.loops
        #: Those with which a thread may start.
        self.first = every if self.threads else fused
        #: Threads that need not be the first one of their unit to start: after another one all goes on alike.
        self.second = frozenset(self._second())

    def _second(self) -> Iterator[int]:
        begun: set[str] = set()
        for number in self.acting:
            entry, late, _ = self._starts[number]
            if late or entry in self.first:
                unit = self.system.unit_of[self.stepping.threads[number].name]
                if unit in begun:
                    yield number
                begun.add(unit)

    def after(self, state: State, moved: int | None = None) -> State:
        """The state after all sure steps; ``moved`` took a step from a state without any."""
        near = None if moved is None else self._near.get(moved)
        if near is not None:
            return near.after(state)
        draft = list(state)
        for _ in self.steps(draft):
            pass
        return tuple(draft)

    def steps(self, draft: list[Any], units: Sequence[Sequence[int]] | None = None) -> Iterator[tuple[int, str]]:
        """The sure steps that are taken one after the other: who takes each, at which label.

        ``draft`` is a state, and after each step the state after it; ``units`` are the threads that may take one.
        """
        units = self._units if units is None else units
        again = bool(self.acting)
        while again:
            again = False
            for unit in units:
                if all(draft[n] == IDLE for n in unit):
                    continue
                for number in unit:  # to the barrier, each of them, before one looks whether all are there
                    while (label := self._step(draft, number)) is not None:
                        again = True
                        yield number, label
                for number in unit:
                    if (label := self._released(draft, number)) is not None:
                        again = True
                        yield number, label

    def _released(self, draft: list[Any], number: int) -> str | None:
        """Take the sure step of a thread that need not wait any longer; its label, if there is one."""
        label: str = draft[number]
        if label not in self._blocking or label not in self.labels[number]:
            return None
        taken = self.stepping.step(number, label)(draft)
        if not taken or dict(taken[0][0])[number] == self.system.steps[label].again:  # in vain, each turn a step
            return None
        return _taken(draft, label, taken[0][0])

    def _step(self, draft: list[Any], number: int) -> str | None:
        """Take the sure step of a thread, if it has one, not one for which it may have to wait; its label."""
        label: str = draft[number]
        loop = self.loops.get(number, {}).get(label)
        if loop is not None:
            return self._look(draft, number, label, loop)
        if label == DONE or label in self._blocking or (label != IDLE and label not in self.labels[number]):
            return None
        if label != IDLE:
            taken = self.stepping.step(number, label)(draft)
            return _taken(draft, label, taken[0][0]) if taken else None
        entry, late, can_start = self._starts[number]
        if not can_start(draft):
            return None
        if late:
            return _taken(draft, label, [(number, entry)])
        if entry not in self.first:
            return _taken(draft, label, [(number, entry)]) if self.whole else None
        ((changes, _),) = self.stepping.step(number, entry)(draft)
        return _taken(draft, label, changes)

    def _look(self, draft: list[Any], number: int, label: str, loop: frozenset[str]) -> str | None:
        """Take the step of a loop around a look that leads out of it, or on to the look; its label, if there is one.

        Of several that lead to the same state any will do.
        """
        ways = [changes for changes, _ in self.stepping.step(number, label)(draft)]
        ends = [frozenset(self._ends(draft, number, loop, changes, len(loop))) for changes in ways]
        out = [n for n, own in enumerate(ends) if any(end[number] not in loop for end in own)]
        if not out and not isinstance(self.system.steps[label].operation, ir.BarrierOperation):
            out = [*range(len(ways))]
        return _taken(draft, label, ways[out[0]]) if len({ends[n] for n in out}) == 1 and ends[out[0]] else None

    def _ends(
        self, draft: list[Any], number: int, loop: frozenset[str], changes: Changes, steps: int
    ) -> Iterator[State]:
        """The states in which a step of a loop with these changes leaves it, or comes to a look, after some steps more.

        None after so many ``steps``.
        """
        after = list(draft)
        _taken(after, draft[number], changes)
        label = after[number]
        if label not in loop or isinstance(self.system.steps[label].operation, ir.BarrierOperation):
            yield tuple(after)
        elif steps:
            for following, _ in self.stepping.step(number, label)(after):
                yield from self._ends(after, number, loop, following, steps - 1)

    @cached_property
    def _blocking(self) -> frozenset[str]:
        """The labels at which a thread may have to wait, whichever of the two it has there."""
        return frozenset(label for step in self.system.steps.values() if step.blocks for label in step.labels)

    @cached_property
    def _near(self) -> Mapping[int, _Near]:
        """By thread the units in which its step may let others go on: those of its block, where no more is joined."""
        threads, system = self.stepping.threads, self.system
        waits = (step.operation.at for step in system.steps.values() if isinstance(step.operation, Wait))
        wide = any(isinstance(at, ir.GroupSync) and at.group in (ir.Group.CLUSTER, ir.Group.GRID) for at in waits)
        if wide or not {"CanStart"}.issuperset(self.stepping.rules.starting):
            return {}
        units: dict[str, list[Sequence[int]]] = defaultdict(list)
        for unit in self._units:
            for name in {threads[n].block_name for n in unit}:
                units[name].append(unit)
        blocks = {name: _Near(self, own) for name, own in units.items()}
        return {n: blocks[threads[n].block_name] for n in self.acting}

    @cached_property
    def _units(self) -> Sequence[Sequence[int]]:
        """The threads by unit: none of these steps is the first of its unit."""
        units: dict[str, list[int]] = defaultdict(list)
        for number in self.acting:
            units[self.system.unit_of[self.stepping.threads[number].name]].append(number)
        return tuple(units.values())

    @cached_property
    def _starts(self) -> dict[int, tuple[str, bool, Compute]]:
        """Each thread's entry, whether it starts without a step of its own, and the condition for its start."""
        system, number = self.system, self.stepping.number
        late = frozenset(system.late_entries)
        entries = {t.name: system.begin(t).label for t in system.threads}
        return {
            number[t.name]: (entries[t.name], entries[t.name] in late, self.stepping.can_start(t))
            for t in system.threads
        }


def _taken(draft: list[Any], label: str, changes: Changes) -> str:
    """Make the changes of a step in a state; its label."""
    for slot, value in changes:
        draft[slot] = value
    return label


class _Near:
    """The sure steps in some units, which are not taken again where nothing differs that they look at."""

    def __init__(self, sure: SureSteps, units: Sequence[Sequence[int]]) -> None:
        self._sure = sure
        self._units = units
        #: By the slots that were looked at, for what was in them, what was changed in the end.
        self._known: dict[tuple[int, ...], dict[tuple[Any, ...], Mapping[int, Any]]] = {}
        self._spared = self._noted = 0

    def after(self, state: State) -> State:
        """The state after all sure steps there."""
        for slots, known in self._known.items():
            changes = known.get(tuple([state[slot] for slot in slots]))
            if changes is not None:
                self._spared += 1
                return changed(state, [*changes.items()])
        worth = self._noted < min(self._spared + TRIED, _MOST_NOTED)
        draft = _Watched(state) if worth else list(state)
        for _ in self._sure.steps(draft, self._units):
            pass
        if isinstance(draft, _Watched):
            self._noted += 1
            slots = draft.looked_at
            self._known.setdefault(slots, {})[tuple([state[slot] for slot in slots])] = draft.changed
        return tuple(draft)


class _Watched(list[Any]):
    """A state that is changed in its place: it notes which slots change, and which are looked at before they do."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.changed: dict[int, Any] = {}
        self._slots: set[int] = set()
        self._ranges: set[range] = set()

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            self._ranges.add(range(*at.indices(len(self))))
        elif at not in self.changed:
            self._slots.add(at)
        return super().__getitem__(at)

    def __setitem__(self, at: Any, value: Any) -> None:
        self.changed[at] = value
        super().__setitem__(at, value)

    @property
    def looked_at(self) -> tuple[int, ...]:
        """The slots on whose first values it depends what is changed."""
        return tuple(sorted(self._slots.union(*self._ranges)))


def _keeps(system: System) -> bool:
    """Whether promises last, nothing stops a thread from outside, and nobody asks whether it has ended yet."""
    noticing = (ir.EndProcess, ir.Trap, *QUERIES)
    noticed = any(isinstance(step.operation, noticing) for step in system.steps.values())
    return not noticed and (system.readings.host_progress if system.model.has_host else system.model.keeps_started)


def _fused(system: System) -> frozenset[str]:
    """The labels of steps of a thread's own arithmetic that are made with the step before."""
    steps = system.steps.items()
    ticks = frozenset(label for label, s in steps if isinstance(s.operation, Tick) and not is_choice(s))
    return ticks - system.silent_cycles


def _once(machine: Machine) -> Iterator[str]:
    """The labels that a thread comes to once at most."""
    edges = {label: [e.label for e in leaves(s.tree) if e.label in machine.steps] for label, s in machine.steps.items()}
    for group in components(list(edges), lambda label: edges[label]):
        if len(group) == 1 and group[0] not in edges[group[0]]:
            yield group[0]


def _is_named(step: Step) -> bool:
    """Whether a step is an arrival at a barrier with a name, or the wait behind one."""
    at = step.operation.at if isinstance(step.operation, Wait) else step.operation
    return isinstance(at, ir.NamedBarrier)


def _is_sure(step: Step, system: System, written: frozenset[str]) -> bool:
    if is_choice(step):
        return False
    match step.operation:
        case ir.Load(place=place) if place.object not in written and step.guard is None:
            return True
        case ir.SyncThreads() | ir.GroupSync() | Tick():
            return True
        case ir.ProxyFence() | ir.InitFence() | ir.TensorFence() | ir.Agent() | ir.CommitCopies() | ir.AwaitCopies():
            return True
        case Again():  # not of a step that leads there while it is blocked
            return not system.steps[step.of].blocks
        case ir.Load() | ir.Store() | ir.Rmw() | ir.CompareExchange() if touched(step) is None:
            return step.guard is None
        case ir.Load(place=place) | ir.Store(place=place) | ir.Rmw(place=place):
            return place.object in system.settled and step.guard is None
        case Wait(at):
            return not isinstance(at, ir.NamedBarrier) and not by_chance(at)
        case _:
            return False
