"""The states of a system that can be reached, and which promise each step keeps.

What a promise, or a property, says about a step is a bit: an edge has the bits of the acts that it is, a state those of
the acts that it enables.  An act that changes nothing is none (``<<A>>_vars``).
"""

from __future__ import annotations

import time
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.diagnostics import EngineError
from scopec.base.records import dataclass
from scopec.engines.embedded.progress.alike_units import previous
from scopec.engines.embedded.progress.persistent_steps import SureSteps
from scopec.engines.embedded.progress.stepping import Stepping, changed
from scopec.engines.embedded.progress.terms import Fixed, State
from scopec.program import ir
from scopec.program.types import ArithmeticFault
from scopec.progress.promises import Act, Promise, When, promises, receivers
from scopec.progress.rules.fairness import CONDITIONS
from scopec.progress.steps import DONE, IDLE

if TYPE_CHECKING:
    from scopec.progress.models import Property
    from scopec.progress.system import System

#: How many states between two looks at the clock.
_TURNS = 512

Condition = Callable[[State], bool]


@dataclass(frozen=True, slots=True)
class _Owed:
    """A promise to one thread, to somebody who may keep it: the bit of its acts, and where they count.

    ``is_act`` says whether a step is one, by the label that it is taken at and its choice.
    """

    bit: int
    when: tuple[Condition, ...]
    is_act: Callable[[str, bool], bool]


class Edges:
    """The steps from each state, where they lead and their bits: a step takes eight bytes."""

    def __init__(self) -> None:
        self._starts = array("Q", [0])
        self._to = array("I")
        self._bits = array("I")
        self._numbers: dict[int, int] = {}
        self._masks: list[int] = []

    def append(self, steps: Iterable[tuple[int, int]]) -> int:
        """Those from the next state, where each leads and its bits; returns all bits."""
        all_ = 0
        for to, bits in steps:
            self._to.append(to)
            if bits not in self._numbers:
                self._numbers[bits] = len(self._masks)
                self._masks.append(bits)
            self._bits.append(self._numbers[bits])
            all_ |= bits
        self._starts.append(len(self._to))
        return all_

    def __getitem__(self, state: int) -> list[tuple[int, int]]:
        if state + 1 >= len(self._starts):  # of a state that was not looked at
            return []
        its = slice(self._starts[state], self._starts[state + 1])
        return list(zip(self._to[its], map(self._masks.__getitem__, self._bits[its]), strict=True))


@dataclass(slots=True)
class Graph:
    """States by number, the first is 0; ``done`` are those in which everything has ended, whose steps are left out."""

    states: list[State] = field(default_factory=list)
    edges: Edges = field(default_factory=Edges)
    parents: array[int] = field(default_factory=lambda: array("q"))
    #: The numbers of states, of those that may be come to again.
    numbers: dict[State, int] = field(default_factory=dict)
    enabled: list[int] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    #: A state in which no promised step is enabled, found first: everything may stop there.
    stuck: int | None = None
    #: Whether ``stuck`` has no step at all; whether what some thread would do there is undefined.
    dead: bool = False
    undefined: bool = False
    #: Whether the time limit came before all states were found; whether there are more than were asked for.
    cut: bool = False
    more: bool = False


class Exploration:
    """A system's graph, with the meaning of its bits."""

    def __init__(self, system: System, property_: Property) -> None:
        self.system = system
        self.stepping = Stepping(system)
        self.weak = 0
        self.strong = 0
        self._bits = 0
        #: By the number of a thread the promises that its steps may keep.
        self._owed: dict[int, list[_Owed]] = defaultdict(list)
        for promise in promises(system):
            self._promise(promise)
        #: The bit of a step of each thread, and of a step that counts, and the labels of these.
        self.step_of = [self._bit() for _ in self.stepping.threads]
        self.counted = self._bit()
        counting = [label for label, step in system.steps.items() if step.counts]
        self.counting = frozenset(counting) if property_ == "Progress" else frozenset[str]()

    def _bit(self) -> int:
        self._bits += 1
        return 1 << (self._bits - 1)

    # ---- what promises mean

    def _promise(self, promise: Promise) -> None:
        for thread in receivers(promise, self.system):
            bit = self._bit()
            if promise.strong:
                self.strong |= bit
            else:
                self.weak |= bit
            when = tuple(self._condition(w, thread) for w in promise.when)
            acts: dict[int, Callable[[str, bool], bool]] = {}
            for act in promise.acts:
                for number, is_act in self._acts(act, thread, promise.label):
                    acts[number] = _either(acts[number], is_act) if number in acts else is_act
            for number, is_act in acts.items():
                self._owed[number].append(_Owed(bit, when, is_act))

    def _acts(
        self, act: Act, thread: ir.Thread | None, label: str
    ) -> Iterator[tuple[int, Callable[[str, bool], bool]]]:
        number = self.stepping.number
        match act:
            case Act.OWN:
                assert thread is not None
                yield number[thread.name], lambda _at, _well: True
            case Act.CHOICE:
                assert thread is not None
                yield number[thread.name], lambda at, well: at == label and well
            case Act.ANY:
                yield from ((n, lambda _at, _well: True) for n in number.values())
            case Act.START:
                yield from ((number[other.name], lambda at, _well: at == IDLE) for other in self.system.threads)
            case Act.SERVE:
                yield from self._acts(Act.START, thread, label)
                for task in self.system.tasks:
                    if task.work is ir.Work.COPY:
                        yield number[task.name], lambda _at, _well: True
                    elif task.work is ir.Work.HOST_FUNCTION:
                        yield number[task.name], lambda at, _well: at == IDLE

    def _condition(self, when: When, thread: ir.Thread | None) -> Condition:
        me = {} if thread is None else dict.fromkeys(("h", "t"), Fixed(self.stepping.number[thread.name]))
        return self.stepping.function(CONDITIONS[when], me)

    # ---- the graph

    def steps(self, state: State) -> Iterator[tuple[int, str, State, bool]]:
        """Each step from a state: who takes it, at which label, the state after it, and whether choices fell well."""
        stepping, system = self.stepping, self.system
        for number, label in enumerate(state[: len(stepping.threads)]):
            if label == DONE:
                continue
            if label != IDLE:
                if label in self._slept or label not in system.steps:
                    continue
                for changes, well in stepping.step(number, label)(state):
                    yield number, label, changed(state, changes), well
            elif number in self._starts and number not in self.sure.second:
                entry, can_start = self._starts[number]
                before = self.unit_before.get(number)
                if not can_start(state) or (before is not None and state[before] == IDLE):
                    continue
                if entry in self._late:
                    yield number, IDLE, changed(state, [(number, entry)]), True
                else:
                    for changes, well in stepping.step(number, entry)(state):
                        yield number, IDLE, changed(state, changes), well

    @cached_property
    def sure(self) -> SureSteps:
        """The steps that are taken at once."""
        return SureSteps(self.system, self.stepping)

    @cached_property
    def first(self) -> State:
        """The state in which all begins, after the sure steps there."""
        return self.sure.after(self.stepping.initial)

    @cached_property
    def unit_before(self) -> Mapping[int, int]:
        """For each thread that can be exchanged with another one, the thread that starts before it."""
        return previous(self.sure)

    @cached_property
    def _late(self) -> frozenset[str]:
        return frozenset(self.system.late_entries)

    @cached_property
    def _slept(self) -> frozenset[str]:
        """The labels from which only other threads' steps move a thread on, or nothing does."""
        return frozenset(label for label, step in self.system.steps.items() if step.sleeps)

    @cached_property
    def _starts(self) -> dict[int, tuple[str, Condition]]:
        """The entry of each thread that the implementation starts, and the condition for its start."""
        system, stepping = self.system, self.stepping
        return {
            stepping.number[t.name]: (system.begin(t).label, stepping.can_start(t))
            for t in (*system.threads, *system.tasks)
        }

    def graph(
        self, seconds: float | None, *, stop_early: bool, seen: Callable[[int], None] = lambda _: None,
        begun: Graph | None = None, most: int | None = None,
    ) -> Graph:  # fmt: skip
        """The graph of the states before the end, breadth first, as far as the time limit lets it be found.

        With ``stop_early`` it ends at the first state in which no promise asks for a step, and always at one in which
        what a thread would do next is undefined, or once there are more than ``most`` states.  ``seen`` is told now and
        then how many states there are.  A graph that was ``begun`` goes on; it has all states, for who is interrupted.
        """
        limit = None if seconds is None else time.monotonic() + seconds
        stepping, graph = self.stepping, Graph() if begun is None else begun
        numbers, graph.more = graph.numbers, False

        def number(state: State, parent: int) -> int:
            known = numbers.get(state)
            if known is None:
                known = numbers[state] = len(graph.states)
                graph.states.append(state)
                graph.parents.append(parent)
            return known

        if not graph.states:
            number(self.first, -1)
        undefined = frozenset(self.system.undefined_labels)
        same: dict[int, int] = {}
        at = before = len(graph.enabled)
        while at < len(graph.states):
            if at % _TURNS == 0:
                seen(len(graph.states))
                if limit is not None and time.monotonic() > limit:
                    graph.cut = True
                    return graph
                if most is not None and len(graph.states) - before > most:
                    graph.more = True
                    return graph
            state = graph.states[at]
            if stepping.all_done(state):
                graph.done.add(at)
                graph.enabled.append(graph.edges.append(()))
                at += 1
                continue
            if not undefined.isdisjoint(state[: len(stepping.threads)]):
                graph.stuck, graph.undefined = at, True
                return graph
            try:
                steps = list(self.steps(state))
            except ArithmeticFault as fault:
                raise EngineError(f"a step has no result in C++: {fault}") from fault
            owed: dict[int, bool] = {}
            edges: dict[tuple[int, bool], int] = {}
            for who, label, after, well in steps:
                if after == state:
                    continue
                after = self.sure.after(after, who)
                bits = self.step_of[who]
                for promise in self._owed[who]:
                    if promise.bit not in owed:
                        owed[promise.bit] = all(holds(state) for holds in promise.when)
                    if owed[promise.bit] and promise.is_act(label, well):
                        bits |= promise.bit
                counts = label in self.counting
                if counts:
                    bits |= self.counted
                to = number(after, at), counts
                edges[to] = edges.get(to, 0) | bits
            enabled = graph.edges.append((to, bits) for (to, _), bits in edges.items())
            graph.enabled.append(same.setdefault(enabled, enabled))
            if not enabled & (self.weak | self.strong) and graph.stuck is None:
                graph.stuck, graph.dead = at, not steps
                if stop_early:
                    return graph
            at += 1
        return graph


def _either(one: Callable[[str, bool], bool], other: Callable[[str, bool], bool]) -> Callable[[str, bool], bool]:
    return lambda at, well: one(at, well) or other(at, well)
