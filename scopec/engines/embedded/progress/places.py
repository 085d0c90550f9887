"""Labels that a thread can reach, by what it knows of its own registers; its arrivals at named barriers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

from scopec.base.graphs import components
from scopec.program import arrival_order, ir, values
from scopec.program.arrival_order import Arrival
from scopec.program.types import ArithmeticFault
from scopec.progress.steps import DONE, Either, Fork, Goto, Undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from scopec.program.values import Value
    from scopec.progress.steps import Tree
    from scopec.progress.system import System

#: How many places of a thread are looked at to see whether it ends.
_MOST_PLACES = 20_000

#: Where a thread is: its label, and the registers of which it knows what they hold.
Place: TypeAlias = tuple[str, tuple[tuple[str, int], ...]]
T = TypeVar("T")
#: The name of a barrier, and its count.
_Barrier: TypeAlias = tuple[tuple[int, ...], int]


def ends(system: System, thread: ir.Thread) -> bool:
    """Whether a thread comes to its end whatever it reads."""
    edges = _places(system, thread)
    return edges is not None and acyclic(edges)


def acyclic(edges: Mapping[Place, list[Place]]) -> bool:
    """Whether a thread that goes on along these edges leaves them at last."""
    groups = components(list(edges), lambda place: [p for p in edges[place] if p in edges])
    return all(len(group) == 1 and group[0] not in edges[group[0]] for group in groups)


def _places(system: System, thread: ir.Thread) -> dict[Place, list[Place]] | None:
    """The places of a thread with the places that may follow each, the first place first; None if too many."""
    begin, builtins = system.begin(thread), thread.builtins or {}
    steps = {n: s for n, s in system.machine_of(thread).steps.items() if not isinstance(s.operation, Undefined)}
    first = begin.label, known({name: number(value, builtins) for name, value in begin.updates})
    edges: dict[Place, list[Place]] = {}
    work: list[Place] = [first]
    while work and len(edges) < _MOST_PLACES:
        place = work.pop()
        if place not in edges and place[0] in steps:
            edges[place] = list(following(steps[place[0]].tree, {**builtins, **dict(place[1])}, builtins))
            work += edges[place]
    return None if work else edges


def in_one_phase(system: System) -> frozenset[str]:
    """The threads of blocks in which each arrival at a barrier with a name is of one phase, whatever the schedule.

    Two arrivals that are possible at once are of one phase then, and lead to the same in either order; and nothing
    takes back that a phase is over while a thread waits for its end.
    """
    blocks: dict[str, list[ir.Thread]] = {}
    for thread in system.threads:
        if any(isinstance(s.operation, ir.NamedBarrier) for s in system.machine_of(thread).steps.values()):
            blocks.setdefault(thread.block_name, []).append(thread)
    found: set[str] = set()
    for threads in blocks.values():
        ways = [_way(system, thread) for thread in threads]
        if all(way is not None for way in ways) and _fixed([way for way in ways if way is not None]):
            found |= {thread.name for thread in threads}
    return frozenset(found)


def _fixed(ways: list[tuple[tuple[_Barrier, bool], ...]]) -> bool:
    """Whether each arrival of some threads is of one phase."""
    threads = [
        [Arrival((number, place), barrier, barrier[1], waits) for place, (barrier, waits) in enumerate(way)]
        for number, way in enumerate(ways)
    ]
    counts = dict(barrier for way in ways for barrier, _ in way)
    return all(counts[name] == count for way in ways for (name, count), _ in way) and all(
        len(phases) == 1 for phases in arrival_order.phases(threads).values()
    )


def _way(system: System, thread: ir.Thread) -> tuple[tuple[_Barrier, bool], ...] | None:
    """The arrivals of warps at barriers with names that a thread comes to, if these are the same on all its ways.

    Each is the barrier, and whether the thread waits there.
    """
    steps, builtins = system.machine_of(thread).steps, thread.builtins or {}

    def own(place: Place) -> tuple[tuple[_Barrier, bool], ...] | None:
        operation = steps[place[0]].operation
        if not isinstance(operation, ir.NamedBarrier):
            return ()
        registers = {**builtins, **dict(place[1])}
        count = None if operation.count is None else number(operation.count, registers)
        name = [number(part, registers) for part in operation.name]
        if not operation.warps or not count or None in name:
            return None
        return (((tuple(n for n in name if n is not None), count), operation.waits),)

    return _in_turn(_places(system, thread), own)


def _in_turn(
    edges: Mapping[Place, list[Place]] | None, own: Callable[[Place], tuple[T, ...] | None]
) -> tuple[T, ...] | None:
    """The findings at the places of a thread in turn, if they are the same on all its ways to its end.

    None if they are not, if it need not come to its end, or if nothing is found at a place (None).
    """
    if edges is None or not acyclic(edges):
        return None
    behind: dict[Place, tuple[T, ...]] = {}
    for (place,) in reversed(components(list(edges), lambda place: [p for p in edges[place] if p in edges])):
        here, after = own(place), {behind.get(following, ()) for following in edges[place]} or {()}
        if here is None or len(after) > 1:
            return None
        behind[place] = (*here, *after.pop())
    return behind[next(iter(edges))] if edges else ()


def following(
    tree: Tree, registers: Mapping[str, int], builtins: Mapping[str, int], ends: Callable[[Goto], bool] = lambda _: True
) -> Iterator[Place]:
    """The places that may follow a step with such an end; each has the registers whose contents are known there."""
    match tree:
        case Goto(label, updates):
            after = {**registers, **{name: number(value, registers) for name, value in updates}}
            if ends(tree):
                yield label, known({name: number for name, number in after.items() if name not in builtins})
        case Fork(condition, then, otherwise):
            holds = number(condition, registers)
            if holds is None or holds:
                yield from following(then, registers, builtins, ends)
            if not holds:
                yield from following(otherwise, registers, builtins, ends)
        case Either(first, second):
            yield from following(first, registers, builtins, ends)
            yield from following(second, registers, builtins, ends)


def known(registers: Mapping[str, int | None]) -> tuple[tuple[str, int], ...]:
    """The registers of which it is known what they hold."""
    return tuple(sorted((name, number) for name, number in registers.items() if number is not None))


def number(value: Value, registers: Mapping[str, int]) -> int | None:
    """A value where what it needs is known."""
    try:
        return values.evaluate(value, lambda leaf: registers[leaf.name])
    except (KeyError, ArithmeticFault):
        return None


def waits_of(
    system: System, thread: ir.Thread, labels: frozenset[str], waiting: frozenset[str]
) -> tuple[str, ...] | None:
    """The labels among ``waiting`` that a thread comes to in turn, if they are the same on all its ways to its end.

    None if they are not, if it need not come to its end, or if it may come to a label that is not among ``labels``.
    """
    edges = _places(system, thread)
    if not edges:
        return () if edges is not None and system.begin(thread).label == DONE else None

    def own(place: Place) -> tuple[str, ...] | None:
        if place[0] not in labels or not edges[place] or any(p not in edges and p[0] != DONE for p in edges[place]):
            return None
        return (place[0],) if place[0] in waiting else ()

    return _in_turn(edges, own)
