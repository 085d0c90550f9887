"""Places where a thread of the search for stuck executions may be left, and what it does there for ever.

See :mod:`tests.oracles.stuck` for the definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from itertools import count
from typing import Literal

from tests.oracles.brute_programs import Event, Run
from tests.oracles.small_threads import (
    Body,
    Cas,
    Element,
    End,
    Expr,
    Fence,
    If,
    Let,
    Load,
    Loop,
    Place,
    Rest,
    Rmw,
    Stmt,
    Store,
    Way,
    start,
    step,
)

Left = Literal["ended", "unstarted", "stopped", "turning"]
LEFT: tuple[Left, ...] = ("ended", "unstarted", "stopped", "turning")

#: Turns of a loop that change memory; a way that has gone round so often is cut.
CHANGES = 2
#: Turns of a loop whatever they do.
TURNS = 12


@dataclass(frozen=True)
class At:
    """Where a thread is left: what it has done, and why it does no more."""

    left: Left
    way: Way


@dataclass(frozen=True)
class Period:
    """What a turning thread does for ever."""

    events: tuple[Event, ...]  # reads and fences, from where it is left to the end of one period
    silent: bool  # no operation in the loop counts as progress
    stores: bool  # writes values that their locations have


# ---------------------------------------------------------------- what is relevant


def used(value: Expr) -> frozenset[str]:
    match value:
        case int():
            return frozenset()
        case str():
            return frozenset({value})
        case (_, left, right):
            return used(left) | used(right)


def used_by_place(at: Place) -> frozenset[str]:
    return used(at.index) if isinstance(at, Element) else frozenset()


@cache
def live(rest: tuple[Stmt | End, ...], after: frozenset[str] = frozenset()) -> frozenset[str]:
    """The registers whose values decide a branch, an address or an operand of what is left."""
    for statement in reversed(rest):
        match statement:
            case Let(reg, value):
                after = (after - {reg}) | used(value) if reg in after else after
            case Load(reg, at):
                after = (after - {reg}) | used_by_place(at)
            case Store(at, value):
                after |= used_by_place(at) | used(value)
            case Rmw(reg, at, _, operand):
                after = (after - {reg}) | used_by_place(at) | used(operand)
            case Cas(reg, at, expected, desired):
                after = (after - {reg, statement.success}) | used_by_place(at) | used(expected) | used(desired)
            case Fence():
                pass
            case If(condition, then, otherwise):
                after = used(condition) | live(then, after) | live(otherwise, after)
            case End(loop):
                after |= used(loop.again) | live((loop,), after)
            case Loop(body, again):
                after |= used(again)
                while (more := after | live(body, after)) != after:
                    after = more
                after = live(body, after)
    return after


def relevant(rest: Rest, registers: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    names = live(tuple(statement for _, statement in rest))
    return tuple(sorted((name, registers.get(name, -1)) for name in names))


# ---------------------------------------------------------------- where a thread may be left


@dataclass(frozen=True)
class Turns:
    """How often a way has come to a loop's head."""

    events: int = 0  # before the last time
    number: int = 0
    changes: int = 0  # how many turns have changed memory


def places(thread: int, body: Body, domain: Values, *, stops: bool) -> tuple[list[At], bool]:
    """Where a thread may be left, and whether a turn was cut; with `stops` also before each operation.

    Of two ways to the same place with the same relevant values, one of which does no more than the other but for reads,
    fences and silent read-modify-writes, the other is left out: with fewer of these an execution is as consistent.
    """
    found = [At("unstarted", start(thread, body))]
    cut = False
    known: dict[object, list[Run]] = {}
    order = count()
    pending: list[tuple[int, int, Way, Mapping[int, Turns]]] = [(0, next(order), start(thread, body), {})]
    while pending:
        _, _, way, turns = heappop(pending)
        others = known.setdefault((way.rest, relevant(way.rest, way.run.registers)), [])
        if any(does_less(other, way.run) for other in others):
            continue
        others.append(way.run)
        if not way.rest:
            found.append(At("ended", way))
            continue
        if isinstance(way.rest[0][1], Loop):
            found.append(At("turning", way))
            number, visited = visit(way, turns)
            if visited.changes > CHANGES or visited.number > TURNS:
                cut = True
                continue
            turns = {**turns, number: visited}
        if stops and way.run.events and isinstance(way.rest[0][1], Load | Store | Rmw | Cas | Fence | Loop):
            found.append(At("stopped", way))
        for after in step(way, domain):
            if all(sources_of(e, after, domain) for e in after.run.events[len(way.run.events) :] if e.kind == "R"):
                heappush(pending, (len(after.run.events), next(order), after, turns))
    return found, cut


Operation = tuple[int, int | str]  # thread, and number in it


@dataclass(frozen=True)
class Source:
    """A write that may give a location a value: the last of a chain of read-modify-writes; or the initial one."""

    last: Operation | None
    chain: frozenset[Operation]


#: Per location the values that it may have, and where they may come from.
Values = dict[str, dict[int, set[Source]]]


def sources_of(read: Event, way: Way, domain: Values) -> set[Source]:
    """Where a read may take its value from, if coherence does not forbid it whatever the others do.

    Of the thread's own writes that is the last one before, and no chain goes through a later one.
    """
    events = way.run.events[: way.run.events.index(read)]
    done = {(e.thread, e.op) for e in events if e.kind == "W"}
    before = [(e.thread, e.op) for e in events if e.kind == "W" and e.loc == read.loc]
    last = before[-1] if before else None
    return {
        source
        for source in domain[str(read.loc)][read.value]
        if all(operation in done for operation in source.chain if operation[0] == read.thread)
        and (source.last == last if source.last is None or source.last[0] == read.thread else True)
    }


def silent_writes(run: Run) -> set[Event]:
    """The writes of read-modify-writes that store what they read."""
    return {w for r, w in run.rmw if r.value == w.value}


def does_less(run: Run, other: Run) -> bool:
    """Whether the first run is the other one without some reads, fences and silent read-modify-writes."""
    idle = silent_writes(other)
    halves = {e for r in (run, other) for pair in r.rmw for e in pair}
    events = iter(run.events)
    wanted = next(events, None)
    for e in other.events:
        if wanted is not None and (alike(wanted), wanted in halves) == (alike(e), e in halves):
            wanted = next(events, None)
        elif e.kind == "W" and e not in idle:
            return False
    return wanted is None


def alike(e: Event) -> tuple[object, ...]:
    return e.kind, e.loc, e.value, e.order, e.scope


def visit(way: Way, turns: Mapping[int, Turns]) -> tuple[int, Turns]:
    """The loop whose head the way has come to, and how often it has."""
    number, events = way.rest[0][0], len(way.run.events)
    last = turns.get(number)
    if last is None:
        return number, Turns(events)
    idle = silent_writes(way.run)
    changed = any(e.kind == "W" and e not in idle for e in way.run.events[last.events :])
    return number, Turns(events, last.number + 1, last.changes + changed)


class NoRecurrence(Exception):
    """A loop whose state does not recur."""


def period(way: Way, memory: Mapping[str, int]) -> Period | None:
    """What the thread does if each read returns the last value of its location, if it stays in the loop for ever.

    A store of the value that its location has anyway changes nothing.
    """
    domain = {name: (value,) for name, value in memory.items()}
    first = len(way.run.events)
    after = way.rest[1:]
    seen: dict[int, list[tuple[tuple[tuple[str, int], ...], int]]] = {}
    for _ in range(400):
        if way.rest == after:
            return None
        number, statement = way.rest[0]
        if isinstance(statement, End):
            following = next(step(way, domain))
            if not following.rest or following.rest[0][0] != number:
                seen.pop(number, None)  # it has left the loop
        if isinstance(statement, Loop):
            state = relevant(((number, statement),), way.run.registers)
            for earlier, events in seen.get(number, ()):
                if earlier == state:
                    return _period(way, first, events)
            seen.setdefault(number, []).append((state, len(way.run.events)))
        *_, way = step(way, domain)  # a weak compare-exchange of equal values exchanges
        if any(e.kind == "W" and e.value != memory[str(e.loc)] for e in way.run.events[first:]):
            return None
    raise NoRecurrence


def _period(way: Way, first: int, since: int) -> Period:
    counted = any(e.kind == "R" and e.order is not None for e in way.run.events[since:])
    updates = {w for _, w in way.run.rmw}
    done = way.run.events[first:]
    stores = any(e.kind == "W" and e not in updates for e in done)
    return Period(tuple(e for e in done if e.kind != "W"), not counted, stores)
