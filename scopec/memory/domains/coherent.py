"""The values that a location takes in the orders of its own accesses.

A model that has coherence, total, of all accesses, and atomicity makes one location sequentially consistent: in each
execution its accesses stand in an order that contains program order, in which a read returns the last write before it,
and no write comes between the halves of a read-modify-write ("SC per location", Alglave, Maranget and Tautschnig,
TOPLAS 2014).  Where what a thread stores at a location is computed from what it has read there, the values follow from
these orders alone, by induction along each.  So all of them are walked through, and what branches depend on elsewhere
is left open: that of a barrier, as one number, takes a dozen values where its arrivals one by one would make hundreds.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from scopec.base.records import dataclass
from scopec.memory.domains.domains import Domains
from scopec.memory.events.events import Kind, unsequenced
from scopec.program.ir import Proxy
from scopec.program.types import ArithmeticFault
from scopec.program.values import Const, Reg, evaluate, leaves, substitute

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from scopec.memory.events.events import Event, EventGraph
    from scopec.memory.events.guards import Guard
    from scopec.program.observe import Location
    from scopec.program.values import Builtin, Value

#: So many states of one location are looked at.
MOST_STATES = 5_000


def coherent(graph: EventGraph, known: Domains, few: int) -> Domains:
    """Domains without values that reads of a location return in no order of its accesses, where more than ``few``."""
    of = dict(known.of)
    for location in graph.locations:
        reads = [e.id for e in graph.accesses(location) if e.kind is Kind.READ]
        if any(len(of[read]) > few for read in reads):
            for read, values in (returned(graph, location) or {}).items():
                of[read] = of[read] & values or of[read]  # a read that is never made keeps those that it had
    return replace(known, of=of)


class _OpenError(Exception):
    """The values of a location do not follow from its accesses, or they have too many orders."""


def returned(graph: EventGraph, location: Location) -> Mapping[str, frozenset[int]] | None:
    """The values that each read of a location may return; None where its accesses alone do not say, or are many."""
    initial, *rest = graph.accesses(location)
    if not isinstance(initial.value, Const) or any(e.agent or e.alias or e.proxy is not Proxy.GENERIC for e in rest):
        return None
    threads: dict[str, list[Event]] = {}
    for event in rest:
        threads.setdefault(event.thread, []).append(event)
    if any(unsequenced(a, b) for own in threads.values() for a, b in combinations(own, 2)):
        return None
    try:
        alike: dict[Hashable, list[_Thread]] = {}
        for own in threads.values():
            thread = _Thread(graph, own)
            alike.setdefault(thread.shape(), []).append(thread)
        found = _walked(initial.value.value, [(group[0], len(group)) for group in alike.values()])
    except _OpenError:
        return None
    return {
        member.reads[place]: frozenset(found.get((kind, place), ()))
        for kind, group in enumerate(alike.values())
        for member in group
        for place in range(len(member.reads))
    }


class _Local(NamedTuple):
    """How far a thread is: its next step, what is known of its path, and what it has read that is still looked at."""

    step: int
    path: Guard
    known: tuple[tuple[str, int], ...]


class _Taken(NamedTuple):
    """A step that a thread may take: where it is then, the place of the read, and what the location holds."""

    local: _Local
    read: int | None
    holds: int


@dataclass(frozen=True, slots=True)
class _Step:
    """An access, or the halves of a read-modify-write; ``needed`` are the reads that this and later steps look at."""

    read: Event | None
    write: Event | None
    needed: frozenset[str]

    @property
    def guard(self) -> Guard:
        first = self.read or self.write
        assert first is not None
        return first.guard


class _Thread:
    """The accesses of a thread to one location."""

    def __init__(self, graph: EventGraph, own: Sequence[Event]) -> None:
        self.reads = [e.id for e in own if e.kind is Kind.READ]
        self._place = {read: place for place, read in enumerate(self.reads)}
        guards = [e.guard for e in own]
        self._numbers = sorted(frozenset[int]().union(*(guard.conditions for guard in guards)))
        #: The branches that what is read here decides.
        self._decided = {
            number: (value, names)
            for number in self._numbers
            for value in (graph.conditions[number],)
            if (names := frozenset(leaf.name for leaf in leaves(value))) and names <= self._place.keys()
        }
        paired = list(_paired(own))
        needed = reversed(list(self._needed(paired)))
        self._steps = [_Step(*halves, names) for halves, names in zip(paired, needed, strict=True)]

    def _needed(self, paired: Sequence[tuple[Event | None, Event | None]]) -> Iterator[frozenset[str]]:
        """For each step, from the last one on, the reads before it that it and later ones look at.

        A branch is decided at the last of its reads, and none of them is looked at for it then.
        """
        made = {read.id: number for number, (read, _) in enumerate(paired) if read is not None}
        stored: frozenset[str] = frozenset()
        branches: set[int] = set()
        for number, halves in reversed(list(enumerate(paired))):
            for half in halves:
                if half is not None:
                    stored |= {leaf.name for leaf in leaves(half.value)} if half.value is not None else set()
                    branches |= half.guard.conditions & self._decided.keys()
            if not stored <= made.keys():
                raise _OpenError
            open_ = (names for _, names in map(self._decided.__getitem__, branches))
            yield stored.union(*(names for names in open_ if max(map(made.__getitem__, names)) >= number))

    def shape(self) -> Hashable:
        """What the accesses are, equal for threads that are alike but for names."""

        def renamed(value: Value) -> Value:
            return substitute(value, leaf)

        def leaf(one: Reg | Builtin) -> Value:
            return Reg(f" {self._place[one.name]}", one.type)

        place = {number: place for place, number in enumerate(self._numbers)}
        nodes: dict[int, int] = {0: 0, 1: 1}
        shapes: list[Hashable] = []
        for step in self._steps:
            for half in (step.read, step.write):
                if half is not None:
                    for part in half.guard.parts(nodes):
                        nodes[part.node] = len(nodes)
                        number, low, high = part.branch
                        shapes.append((place[number], nodes[low.node], nodes[high.node]))
                    value = None if half.value is None else renamed(half.value)
                    shapes.append((half.kind, nodes[half.guard.node], half.rmw is None, value))
        decided = tuple((place[number], renamed(value)) for number, (value, _) in self._decided.items())
        return tuple(shapes), decided

    # ---- what it may do

    def begun(self) -> _Local:
        return self._on(_Local(0, self._steps[0].guard.guards.always, ()))

    def taken(self, local: _Local, holds: int) -> Iterator[_Taken]:
        """The next steps that a thread may take where the location holds a value."""
        for at in self._ways(local):
            step, known, path = self._steps[at.step], dict(at.known), at.path
            read = None
            if step.read is not None:
                read = self._place[step.read.id]
                known[step.read.id] = holds
                path = self._decide(path, step.read.id, known)
            if step.write is None:
                yield _Taken(self._after(at.step, path, known), read, holds)
                continue
            written = path & step.write.guard
            if not written.never:
                yield _Taken(self._after(at.step, written, known), read, self._value(step.write, known))
            if not (left := path & ~step.write.guard).never:
                yield _Taken(self._after(at.step, left, known), read, holds)

    def _ways(self, local: _Local) -> Iterator[_Local]:
        """The same before each step that may be its next one: those before it are left out on its path."""
        path = local.path
        for number, step in enumerate(self._steps[local.step :], start=local.step):
            here = path & step.guard
            if not here.never:
                yield local._replace(step=number, path=here)
            path &= ~step.guard
            if path.never:
                return

    def _decide(self, path: Guard, read: str, known: Mapping[str, int]) -> Guard:
        """A path with the branches that a read decides."""
        for number, (value, names) in self._decided.items():
            if read in names and names <= known.keys():
                path &= path.guards.literal(number, bool(_evaluated(value, known)))
        return path

    def _value(self, write: Event, known: Mapping[str, int]) -> int:
        assert write.value is not None
        return _evaluated(write.value, known)

    def _after(self, step: int, path: Guard, known: Mapping[str, int]) -> _Local:
        return self._on(_Local(step + 1, path, tuple(known.items())))

    def _on(self, local: _Local) -> _Local:
        """The same before the first step that may be made, without what is looked at no more."""
        for number, step in enumerate(self._steps[local.step :], start=local.step):
            if not (local.path & step.guard).never:
                known = tuple(sorted(pair for pair in local.known if pair[0] in step.needed))
                return _Local(number, local.path, known)
        return _Local(len(self._steps), local.path.guards.always, ())


def _paired(own: Sequence[Event]) -> Iterator[tuple[Event | None, Event | None]]:
    """The accesses of a thread in program order: reads and writes, of a read-modify-write both together."""
    work = list(reversed(own))
    while work:
        event = work.pop()
        if event.writes:
            if event.rmw is not None:
                raise _OpenError
            yield None, event
        elif event.rmw is None:
            yield event, None
        else:
            write = work.pop() if work else None
            if write is None or write.id != event.rmw:
                raise _OpenError
            yield event, write


def _evaluated(value: Value, known: Mapping[str, int]) -> int:
    """The value of an expression over what was read."""
    try:
        return evaluate(value, lambda leaf: known[leaf.name])
    except (ArithmeticFault, KeyError):
        raise _OpenError from None


def _walked(initial: int, threads: Sequence[tuple[_Thread, int]]) -> Mapping[tuple[int, int], set[int]]:
    """What reads return in all orders, by the number of the thread's kind and the place of the read.

    Of threads that are alike it does not matter which is where.
    """
    found: dict[tuple[int, int], set[int]] = {}
    following: dict[tuple[int, _Local, int], list[_Taken]] = {}
    number: dict[tuple[int, _Local], int] = {}
    begun = [(kind, thread.begun()) for kind, (thread, count) in enumerate(threads) for _ in range(count)]

    def named(locals_: Iterable[tuple[int, _Local]]) -> tuple[int, ...]:
        return tuple(sorted(number.setdefault(local, len(number)) for local in locals_))

    seen = {(initial, named(begun))}
    work: list[tuple[int, list[tuple[int, _Local]]]] = [(initial, begun)]
    while work:
        holds, locals_ = work.pop()
        for kind, local in dict.fromkeys(locals_):
            if (kind, local, holds) not in following:
                following[kind, local, holds] = list(threads[kind][0].taken(local, holds))
            for taken in following[kind, local, holds]:
                if taken.read is not None:
                    found.setdefault((kind, taken.read), set()).add(holds)
                others = list(locals_)
                others.remove((kind, local))
                others.append((kind, taken.local))
                state = taken.holds, named(others)
                if state not in seen:
                    seen.add(state)
                    if len(seen) > MOST_STATES:
                        raise _OpenError
                    work.append((taken.holds, others))
    return found
