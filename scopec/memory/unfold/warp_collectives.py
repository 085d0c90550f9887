"""Exchanges between the lanes of a warp, and votes of a block: what each gets is computed from what all of them bring.

A thread is executed by itself, so what others bring has a register of its own at first; when all threads are executed,
each stands for what the arrivals of its lane in that phase bring.

Of a wait loop one turn that fails stands for all (:mod:`scopec.memory.unfold.spin_loops`).  Where threads meet in such
a loop, as in ``while (!__any_sync(full, f.load()));``, that is one turn of all of them together: they have to be in the
same phase of the barrier (:func:`in_step`).  A thread that came to the loop some turns earlier, as its first turns were
written out before it, makes so many turns before it waits, at most ``MOST_AHEAD``.  If that does not bring all
together, no loop counts as a wait loop: every turn is unrolled up to the bound, and nothing is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.diagnostics import Code, error
from scopec.base.records import replace
from scopec.memory.events.events import Event, Kind
from scopec.memory.events.rewriting import Rewrite
from scopec.memory.unfold.rounds import MOST_TURNS, needed_twice, turns_needed
from scopec.program import ir, types, values
from scopec.program.collective import how_many
from scopec.program.values import Binary, Choose, Const, Convert, Named, Reg, Unary, Value
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.unfolding import Unfolding
    from scopec.program.collective import Barrier, Passage
    from scopec.program.values import Builtin

#: The most turns that a thread may be ahead of others where it comes to a loop that they go round together.
MOST_AHEAD = 8

#: The meaning of a register: the phase of a barrier (of a block's, which have names, by its own), and which
#: of :class:`ir.Exchange`'s it is.
Key: TypeAlias = "tuple[Barrier, tuple[Value, ...], Value, str]"
#: Numbers of turns of loops: by the thread, and the loop's head.
Turns: TypeAlias = "Mapping[tuple[str, int], int]"


def registers(out: Unfolding, passage: Passage, exchange: ir.Exchange) -> Mapping[str, Reg]:
    """New names for the registers in the results of an exchange, the same for every lane of a phase."""
    mentioned = {leaf.name: leaf.type for result in exchange.results for leaf in values.leaves(result)}
    found = {}
    for name, type_ in mentioned.items():
        if ir.is_exchanged(name):
            key = (passage.barrier, passage.name, passage.phase, name)
            found[name] = out.exchanged.setdefault(key, Reg(f"%exchange {len(out.exchanged)}", type_))
    return found


def of_vote(vote: ir.Vote, block: Sequence[ir.Thread]) -> ir.Exchange:
    """The vote of a block's threads as an exchange: "evaluates predicate for all non-exited threads" (CUDA C++

    Programming Guide, "Synchronization Functions").
    """
    cast = [(Reg(ir.came(n), types.BOOL), Reg(ir.brought(n), types.BOOL)) for n in range(len(block))]
    match vote.function:
        case "count":
            result = how_many([values.binary("&&", *one) for one in cast])
        case "or":
            result = reduce(partial(values.binary, "||"), (values.binary("&&", *one) for one in cast))
        case "and":
            against = (values.binary("&&", here, values.unary("!", yes)) for here, yes in cast)
            result = values.unary("!", reduce(partial(values.binary, "||"), against))
    value = values.convert(vote.predicate, types.BOOL)
    return ir.Exchange("", value, (vote.target,), (values.convert(result, types.INT),))


def resolve(out: Unfolding) -> Sequence[tuple[Guard, Value]]:
    """Put what lanes bring in the place of the registers that stand for it, when every thread is executed.

    Returns what no execution has.  A value on which its own exchange depends becomes a free choice if it says whether a
    lane has come, or votes for something: choices that the lanes do not make are then impossible.  Raises InputError if
    it is a number.
    """
    if not out.exchanged:
        return ()
    resolution = _Resolution(out)
    resolution.run()
    return resolution.impossible


def in_step(execute: Callable[[bool, Turns, Turns], Unfolding], *, rounds: bool, races: bool = True) -> Unfolding:
    """The result of ``execute`` where threads that meet in wait loops go round these together, or else none is one.

    It is asked with ``joint``, ``ahead`` and ``turns`` as :class:`Unfolding` has them.  With ``rounds`` each may be in
    a wait loop of its own; with ``races`` these are asked for, which may be of two turns in vain.
    """
    ahead: dict[tuple[str, int], int] = {}
    while True:
        out = execute(True, ahead, {})
        if _together(out):
            twice = dict.fromkeys(needed_twice(out), 2) if races else {}
            return execute(True, ahead, twice) if twice else out
        more = _ahead(out)
        if not more or any(ahead.get(loop, 0) + turns > MOST_AHEAD for loop, turns in more.items()):
            return (_in_rounds(execute) if rounds else None) or execute(False, {}, {})
        ahead |= {loop: ahead.get(loop, 0) + turns for loop, turns in more.items()}


def _in_rounds(execute: Callable[[bool, Turns, Turns], Unfolding]) -> Unfolding | None:
    """The result of ``execute`` with the turns that threads need who meet in different wait loops, if that is few."""
    turns: dict[tuple[str, int], int] = {}
    while True:
        out = execute(True, {}, turns)
        needed = turns_needed(out, _Phases(out).same)
        if needed is None or any(number > MOST_TURNS for number in needed.values()):
            return None
        more = {loop: number for loop, number in needed.items() if number > turns.get(loop, 1)}
        if not more:
            out.watches_several = True  # nothing is known of cycles through several idle rounds
            return out
        turns |= more


def _ahead(out: Unfolding) -> dict[tuple[str, int], int]:
    """The wait loops that threads come to before those that they meet do, and by how many turns."""
    found: dict[tuple[str, int], int] = {}
    for late in out.votes:
        for early in out.votes:
            if [barrier for barrier, _ in early.meetings] != [barrier for barrier, _ in late.meetings]:
                continue
            barrier = early.meetings[0][0]
            each = sum(other == barrier for other, _ in early.meetings)
            first, then = (dict(_cases(out, v.meetings[0][1])) for v in (early, late))
            apart = {b - a for a, b in zip(first, then, strict=False)}
            if len(first) == len(then) and len(apart) == 1 and (by := apart.pop()) > 0 and by % each == 0:
                found[early.loop] = max(found.get(early.loop, 0), by // each)
    return found


def _together(out: Unfolding) -> bool:
    """Whether all threads that meet in a loop that waits wait for the same, from the same meeting on."""
    guards = {event.id: event.guard for event in out.events if event.kind is Kind.ARRIVE}
    phases = _Phases(out)
    return all(
        any(
            event in other.arrivals and (other.meetings, other.again) == (vote.meetings, vote.again)
            for other in out.votes
        )
        for vote in out.votes
        for (barrier, phase), arrival in zip(vote.meetings, vote.arrivals, strict=True)
        for event, guard in guards.items()
        if (passage := out.barriers[event]).barrier == barrier
        and (passage.phase == phase or not (guard & guards[arrival] & phases.same(passage.phase, phase)).never)
    )


class _Phases:
    """The numbers that phases may be, each looked at once."""

    def __init__(self, out: Unfolding) -> None:
        self.out = out
        self._cases: dict[int, tuple[Value, Mapping[int, Guard]]] = {}

    def same(self, one: Value, other: Value) -> Guard:
        """The paths on which two phases are one."""
        mine, its = self.cases(one), self.cases(other)
        return reduce(or_, (mine[n] & its[n] for n in mine.keys() & its.keys()), self.out.guards.never)

    def cases(self, phase: Value) -> Mapping[int, Guard]:
        """Where a phase is which number."""
        if id(phase) not in self._cases:
            found: dict[int, Guard] = defaultdict(lambda: self.out.guards.never)
            for number, guard in _cases(self.out, phase):
                found[number] |= guard
            self._cases[id(phase)] = phase, found
        return self._cases[id(phase)][1]


class _Resolution:
    def __init__(self, out: Unfolding) -> None:
        self.out = out
        self.keys: dict[str, Key] = {register.name: key for key, register in out.exchanged.items()}
        self.types = {register.name: register.type for register in out.exchanged.values()}
        self.known: dict[str, Value | None] = {}  # None: being looked for
        self.open: dict[str, Reg] = {}
        self.sources: dict[str, frozenset[str]] = {}
        self.impossible: list[tuple[Guard, Value]] = []
        self._events: list[Event] | None = None
        self._arrivals: dict[tuple[Barrier, tuple[Value, ...]], list[Event]] = {}
        self._of_lanes: dict[tuple[Barrier, tuple[Value, ...], int], list[Event]] = {}
        self.phases = _Phases(out)
        self.lanes = {thread.name: thread.lane for thread in out.program.threads}
        #: The number of each thread in its block; those of a litmus file have no lanes.
        self.positions: dict[str, int] = {}
        threads: Counter[str] = Counter()
        for thread in out.program.threads:
            self.positions[thread.name] = threads[thread.block_name]
            threads[thread.block_name] += 1

    @property
    def arrivals(self) -> Mapping[tuple[Barrier, tuple[Value, ...]], Sequence[Event]]:
        """The arrivals at each barrier, by its name too."""
        self._sort()
        return self._arrivals

    def arrivals_of(self, barrier: tuple[Barrier, tuple[Value, ...]], lane: int) -> Sequence[Event]:
        """Those of a lane of the warp, or of a thread of the block."""
        self._sort()
        return self._of_lanes.get((*barrier, lane), ())

    def _sort(self) -> None:
        if self._events is self.out.events:
            return
        self._events, self._arrivals, self._of_lanes = self.out.events, defaultdict(list), defaultdict(list)
        for event in self._events:
            if event.kind is Kind.ARRIVE:
                passage = self.out.barriers[event.id]
                of_block = passage.barrier.lanes is None
                lane = self.positions[event.thread] if of_block else self.lanes[event.thread] % WARP
                self._arrivals[passage.barrier, passage.name].append(event)
                self._of_lanes[passage.barrier, passage.name, lane].append(event)

    def run(self) -> None:
        out = self.out
        while known := self.attended():
            self.simplify(known)
        self.phases = _Phases(out)
        out.control = {event: self.reads(names) for event, names in out.control.items()}
        out.renumber([self.settled(condition) for condition in out.conditions])
        out.change(Rewrite(value=self.settled))
        constant = {n: bool(c.value) for n, c in enumerate(out.conditions) if isinstance(c, Const)}
        if constant:
            self.simplify(constant)
        settled: dict[int, Passage] = {}  # an arrival and the wait behind it have one passage
        for name, passage in out.barriers.items():
            if id(passage) not in settled:
                named = tuple(map(self.settled, passage.name))
                settled[id(passage)] = replace(passage, phase=self.settled(passage.phase), name=named)
            out.barriers[name] = settled[id(passage)]

    def attended(self) -> Mapping[int, bool]:
        """The conditions that lanes come, where they do on every path, or on every one that leads there.

        Nothing asks on other paths who came.
        """
        known: dict[int, bool] = {}
        together: dict[tuple[Barrier, tuple[Value, ...], Value], bool] = {}
        for number, condition in enumerate(self.out.conditions):
            if not isinstance(condition, Reg) or condition.name not in self.keys:
                continue
            barrier, own, phase, name = self.keys[condition.name]
            lane, takes_part = ir.exchanged_by(name)
            if not takes_part:
                continue
            if (barrier, own, phase) not in together:
                of_phase = (e for e in self.arrivals[barrier, own] if self.out.barriers[e.id].phase == phase)
                together[barrier, own, phase] = len({e.guard.node for e in of_phase}) == 1
            if any(
                (together[barrier, own, phase] or e.guard.always) and self.out.barriers[e.id].phase == phase
                for e in self.arrivals_of((barrier, own), lane)
            ):
                known[number] = True
                self.out.conditions[number] = values.TRUE
                self.known[condition.name] = values.TRUE
        return known

    def simplify(self, known: Mapping[int, bool]) -> None:
        """Leave out of guards what is known of the conditions, and what is on no path."""
        out = self.out
        short = out.guards.given(known)

        out.change(Rewrite(guard=short, value=lambda v: values.TRUE if self.holds(v) else v))

    def holds(self, condition: Value) -> bool:
        """Whether a condition is known to hold."""
        return condition == values.TRUE or (
            isinstance(condition, Reg) and self.known.get(condition.name) == values.TRUE
        )

    def reads(self, names: frozenset[str]) -> frozenset[str]:
        """Events, with those that a register stands for in its place."""
        if self.keys.keys().isdisjoint(names):
            return names
        return frozenset().union(*(self.computed_from(name) if name in self.keys else {name} for name in names))

    def computed_from(self, register: str) -> frozenset[str]:
        """The events that a register is computed from."""
        if register not in self.sources:
            self.sources[register] = frozenset(self.out.events_of(self.definition(register)))
        return self.sources[register]

    def settled(self, value: Value) -> Value:
        """A value over what is read alone."""

        def leaf(one: Reg | Builtin) -> Value:
            return self.definition(one.name) if one.name in self.keys else one

        if all(one.name not in self.keys for one in values.leaves(value)):
            return value
        return self.out.guards.names.short(values.substitute(value, leaf))

    def definition(self, register: str) -> Value:
        """The definition of a register."""
        if register not in self.known:
            self.known[register] = None
            barrier, own, phase, name = self.keys[register]
            lane, takes_part = ir.exchanged_by(name)
            there = list(self.there((barrier, own), phase, lane))
            if takes_part:
                came = reduce(lambda found, one: found | one[1], there, self.out.guards.never)
                value = came.value(self.out.conditions)
            else:
                type_ = self.types[register]
                value = Const(0, type_)
                for n, (event, guard) in enumerate(there):
                    brought = self.out.barriers[event.id].brought
                    assert brought is not None
                    value = values.choose(guard.value(self.out.conditions), brought, value) if n else brought
            known = self.known[register] = values.cast(self.settled(value), self.types[register])
            if register in self.open:
                differs = values.binary("!=", self.open[register], known)
                self.impossible.append((self.out.guards.always, differs))
        return self.known[register] or self.left_open(register)

    def left_open(self, register: str) -> Value:
        """The choice in place of a register that its own definition mentions."""
        barrier, own, _, name = self.keys[register]
        lane, takes_part = ir.exchanged_by(name)
        event = self.arrivals_of((barrier, own), lane)[0]
        if self.types[register] != types.BOOL:
            message = f"what `{barrier.exchange}` gives decides which one of them it is, and by that what it gives"
            raise error(Code.OUTSIDE_SUBSET, message, event.span, "let all lanes go the same way")
        what = "came" if takes_part else "brought"
        return self.open.setdefault(register, self.out.choose(event.id, f"{what}{len(self.open)}"))

    def there(
        self, barrier: tuple[Barrier, tuple[Value, ...]], phase: Value, lane: int
    ) -> Iterator[tuple[Event, Guard]]:
        """The arrivals of a lane that may be of a phase, each with where it is, of what some lane comes there on."""
        whole = reduce(or_, (e.guard for e in self.arrivals[barrier] if self.out.barriers[e.id].phase == phase))
        for event in self.arrivals_of(barrier, lane):
            if self.out.barriers[event.id].brought is None:
                continue
            own = self.out.barriers[event.id].phase
            guard = event.guard if own == phase else event.guard & self.phases.same(own, phase)
            if not (guard & whole).never:
                yield event, guard.where(whole)


def _cases(out: Unfolding, phase: Value) -> Iterator[tuple[int, Guard]]:
    """The numbers that a phase may be, each with where it is."""
    match phase:
        case Const(number, _):
            yield number, out.guards.always
        case Choose(condition, then, otherwise, _):
            here = _guard(out, condition)
            yield from ((n, guard & here) for n, guard in _cases(out, then))
            yield from ((n, guard & ~here) for n, guard in _cases(out, otherwise))
        case Binary("+", left, right, _):
            for n, guard in _cases(out, left):
                yield from ((n + m, guard & also) for m, also in _cases(out, right) if not (guard & also).never)
        case Named(_, inner) | Convert(inner, _):
            yield from _cases(out, inner)
        case _:
            raise AssertionError(phase)


def _guard(out: Unfolding, condition: Value) -> Guard:
    """The paths on which a condition holds: it is made of those that branches have, and may be one of them."""
    if (known := out.known(condition)) is not None:
        return out.guards.literal(*known)
    match condition:
        case Unary("!", operand, _):
            return ~_guard(out, operand)
        case Binary("&&", left, right, _):
            return _guard(out, left) & _guard(out, right)
        case Binary("||", left, right, _):
            return _guard(out, left) | _guard(out, right)
        case Choose(test, then, otherwise, types.BOOL):
            here = _guard(out, test)
            return (here & _guard(out, then)) | (~here & _guard(out, otherwise))
        case Named(_, inner):
            return _guard(out, inner)
        case _:
            return out.literal(condition)
