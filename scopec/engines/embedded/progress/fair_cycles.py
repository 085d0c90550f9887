"""The progress question answered in this process: a fair behaviour in which the property fails, or none."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import TYPE_CHECKING

from scopec.base.diagnostics import LimitError
from scopec.base.graphs import components
from scopec.base.limits import limited
from scopec.base.records import dataclass
from scopec.engines.embedded.progress.exploring import Exploration, Graph
from scopec.engines.embedded.progress.far_states import behind_walks
from scopec.engines.protocol import ProgressAnswer, ProgressEngine
from scopec.progress.replay import schedule
from scopec.progress.schedule import Ending
from scopec.progress.show import show_steps
from scopec.progress.steps import IDLE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scopec.engines.embedded.progress.terms import State
    from scopec.engines.protocol import Call
    from scopec.progress.models import Property
    from scopec.progress.questions import ProgressProblem
    from scopec.progress.schedule import Schedule
    from scopec.progress.system import System


@dataclass(frozen=True)
class Answer:
    """Whether a property holds (None: the time limit came first), a schedule if not, and how many states were found."""

    holds: bool | None
    schedule: Schedule | None
    states: int


def solve(
    system: System, property_: Property, seconds: float | None = None, seen: Callable[[int], None] = lambda _: None
) -> Answer:
    """The answer to one property of a system; ``seen`` is told now and then how many states there are.

    ``Termination`` is ``<>AllDone``, ``Progress`` is ``<>AllDone \\/ []<><<CountedStep>>_vars``: a behaviour without it
    never ends and, for Progress, takes no step that counts from some point on.
    """
    graph = Graph()
    end = None if seconds is None else time.monotonic() + seconds
    try:
        with limited(seconds, None):  # one state, and a search for cycles, may take long
            exploration, limits = Exploration(system, property_), system.reductions
            most = limits.states if exploration.sure.more else limits.near
            exploration.graph(seconds, stop_early=True, seen=seen, begun=graph, most=most)
            if graph.more and exploration.sure.more:  # shortest traces, which sure steps cost, would take too long
                exploration, graph = Exploration(_of_many(system), property_), Graph()
                exploration.graph(_left(end), stop_early=True, seen=seen, begun=graph, most=limits.near)
            if graph.more:
                for far in behind_walks(exploration) if limits.far_states else ():
                    ends, way = _found(exploration, far)
                    if not ends:
                        return Answer(ends, way, len(graph.states) + len(far.states))
                exploration.graph(_left(end), stop_early=True, seen=seen, begun=graph)
            holds, shown = (None, None) if graph.cut else _found(exploration, graph)
            return Answer(holds, shown, len(graph.states))
    except LimitError:
        if end is None or time.monotonic() < end:  # another one: there is no memory
            raise
        return Answer(None, None, len(graph.states))


def _of_many(system: System) -> System:
    """The system with the reductions of one of many threads."""
    return replace(system, reductions=replace(system.reductions, many=1))


def _left(end: float | None) -> float | None:
    return None if end is None else end - time.monotonic()


def _found(exploration: Exploration, graph: Graph) -> tuple[bool, Schedule | None]:
    if graph.stuck is not None:
        ending = Ending.UNDEFINED if graph.undefined else Ending.DEADLOCK if graph.dead else Ending.STOP
        return False, _schedule(exploration, graph, _path_to(graph, graph.stuck), [], ending)
    around = _silent_cycle(exploration, graph) or _fair_cycle(exploration, graph)
    if around is None:
        return True, None
    cycle = _tour(exploration, graph, *around)
    return False, _schedule(exploration, graph, _path_to(graph, cycle[0]), cycle, Ending.LASSO)


# ---------------------------------------------------------------- cycles


def _fair_cycle(exploration: Exploration, graph: Graph) -> tuple[set[int], int, int] | None:
    """States that can be visited for ever in turn with every promise kept.

    With them, the bits that steps of the way round need, and those that some state of it must not enable.

    A weak promise is kept if some state does not enable it, or some step keeps it; where neither is so, neither is in
    any part.  A strong one, if no state enables it or some step keeps it; else the states that enable it are left out
    (Emerson and Lei, "Modalities for model checking", 1987).
    """
    work = [[n for n in range(len(graph.states)) if n not in graph.done]]
    while work:
        for group, edges in _components(graph, work.pop(), exploration.counted):
            always, ever, taken = ~0, 0, 0
            for n in group:
                always &= graph.enabled[n]
                ever |= graph.enabled[n]
                for _, bits in edges[n]:
                    taken |= bits
            if exploration.weak & always & ~taken:
                continue
            starved = exploration.strong & ever & ~taken
            if starved:
                work.append([n for n in group if not graph.enabled[n] & starved])
                continue
            return group, (exploration.weak & always) | (exploration.strong & ever), exploration.weak & ~always
    return None


def _silent_cycle(exploration: Exploration, graph: Graph) -> tuple[set[int], int, int] | None:
    """States among which a thread can go on for ever without a step that counts: undefined behaviour."""
    silent = exploration.system.silent_cycles
    for number, thread in enumerate(exploration.stepping.threads):
        if not silent.intersection(exploration.system.machine_of(thread).steps):
            continue
        there = [n for n, s in enumerate(graph.states) if s[number] in silent]
        step = exploration.step_of[number]
        for group, edges in _components(graph, there, exploration.counted):
            if any(bits & step for n in group for _, bits in edges[n]):
                return group, step, 0
    return None


def _components(
    graph: Graph, among: Iterable[int], without: int
) -> Iterator[tuple[set[int], dict[int, list[tuple[int, int]]]]]:
    """The strongly connected parts of some states with a step in them, and these steps; no step has bit ``without``."""
    inside = set(among)

    def after(n: int) -> list[int]:
        return [to for to, bits in graph.edges[n] if to in inside and not bits & without]

    for found in components(sorted(inside), after):
        # A thread that looks and goes back at once, all others where they are, is in the same state again.
        if len(found) > 1 or found[0] in after(found[0]):
            group = set(found)
            yield (
                group,
                {n: [(to, bits) for to, bits in graph.edges[n] if to in group and not bits & without] for n in group},
            )


def _tour(exploration: Exploration, graph: Graph, group: set[int], taken: int, off: int) -> list[int]:
    """A way round through states of a group: some step has each bit of ``taken``, some state does not enable each of
    ``off`` or a step has it.  It begins where the group is reached first.
    """
    edges = {n: [e for e in graph.edges[n] if e[0] in group and not e[1] & exploration.counted] for n in group}
    tour = [min(group)]

    def seen() -> int:
        steps = pairwise(tour)
        return _all_bits(bits for n, after in steps for to, bits in edges[n] if to == after)

    def walk(targets: set[int]) -> None:
        tour.extend(_shortest(edges, tour[-1], targets)[1:])

    for bit in _bits(taken):
        if not seen() & bit:
            walk({n for n in group if any(bits & bit for _, bits in edges[n])})
            tour.append(next(to for to, bits in edges[tour[-1]] if bits & bit))
    for bit in _bits(off):
        if not seen() & bit and all(graph.enabled[n] & bit for n in tour):
            walk({n for n in group if not graph.enabled[n] & bit})
    if len(tour) == 1:
        tour.append(edges[tour[0]][0][0])
    walk({tour[0]})
    return tour[:-1]


def _all_bits(masks: Iterable[int]) -> int:
    """The bits of all masks."""
    return reduce(or_, masks, 0)


def _bits(mask: int) -> Iterator[int]:
    while mask > 0:
        low = mask & -mask
        yield low
        mask ^= low


def _shortest(edges: dict[int, list[tuple[int, int]]], start: int, targets: set[int]) -> list[int]:
    """A shortest way from a state to one of some others."""
    if start in targets:
        return [start]
    parents = {start: start}
    queue = deque([start])
    while queue:
        n = queue.popleft()
        for to, _ in edges[n]:
            if to not in parents:
                parents[to] = n
                if to in targets:
                    way = [to]
                    while way[-1] != start:
                        way.append(parents[way[-1]])
                    return way[::-1]
                queue.append(to)
    raise AssertionError("the states of a group reach each other")


def _path_to(graph: Graph, state: int) -> list[int]:
    way = [state]
    while graph.parents[way[-1]] >= 0:
        way.append(graph.parents[way[-1]])
    return way[::-1]


def _schedule(exploration: Exploration, graph: Graph, path: list[int], cycle: list[int], ending: Ending) -> Schedule:
    """The schedule that goes along a path, and then round a cycle that begins where the path ends."""
    states = [exploration.stepping.initial]
    actions: list[str] = []

    def take(who: int, label: str, after: State, *, at_once: bool = False) -> None:
        if label == IDLE:
            entry = exploration.system.begin(exploration.stepping.threads[who]).label
            label = IDLE if at_once and entry not in exploration.sure.first else entry
        actions.append(label)
        states.append(after)

    def at_once() -> None:
        state = list(states[-1])
        for who, label in exploration.sure.steps(state):
            take(who, label, tuple(state), at_once=True)

    def back() -> None:
        """Take each step that leads back to the same state at once."""
        same = states[-1]
        for who, label, after, _ in exploration.steps(same):
            if after != same and label not in exploration.counting and exploration.sure.after(after) == same:
                take(who, label, after)
                at_once()

    at_once()
    begins = len(states) - 1
    way = [*path, *cycle[1:], *cycle[:1]]
    for place, (before, number) in enumerate(pairwise(way), 1):
        if before == number:
            back()
            continue
        to = graph.states[number]
        steps = exploration.steps(states[-1])
        take(*next((who, label, s) for who, label, s, _ in steps if exploration.sure.after(s) == to))
        at_once()
        if place == len(path) - 1:
            begins = len(states) - 1
    moments = [exploration.stepping.moment(s) for s in (states[:-1] if cycle else states)]
    return schedule(exploration.system, moments, actions[: len(moments) - 1], ending, begins if cycle else None)


class Embedded(ProgressEngine):
    """scopec's own engine for progress questions."""

    immediate = True

    def specification(self, problem: ProgressProblem) -> Mapping[str, str]:
        """The labelled steps."""
        return {f"{problem.name}.steps.txt": show_steps(problem.system)}

    def solve(self, problem: ProgressProblem, call: Call) -> ProgressAnswer:
        """Explore the states and look for a fair cycle."""
        started = time.perf_counter()
        with call.timed("states"):
            answer = solve(
                problem.system, problem.property, call.seconds, lambda states: call.so_far(f"{states:,} states")
            )
        return ProgressAnswer(answer.holds, answer.schedule, answer.states, time.perf_counter() - started)


PROGRESS = Embedded()
