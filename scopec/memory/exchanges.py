"""Exchanges between the lanes of a warp: what a lane gets is computed from what all of them bring.

A thread is executed by itself, so what others bring has a register of its own at first; when all threads are executed,
each stands for what the arrivals of its lane in that phase bring.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.diagnostics import Code, error
from scopec.memory.events import Event, Kind
from scopec.program import ir, types, values
from scopec.program.collective import WARP
from scopec.program.values import Binary, Choose, Const, Convert, Named, Reg, Unary, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scopec.memory.guards import Guard
    from scopec.memory.unfolding import Unfolding
    from scopec.program.collective import Barrier
    from scopec.program.values import Builtin

#: What a register stands for: in which phase of which barrier, and which of :class:`ir.Exchange`'s it is.
Key: TypeAlias = "tuple[Barrier, Value, str]"


def registers(out: Unfolding, barrier: Barrier, phase: Value, exchange: ir.Exchange) -> Mapping[str, Reg]:
    """What stands for the registers that the results of an exchange mention, the same for every lane of a phase."""
    mentioned = {leaf.name: leaf.type for result in exchange.results for leaf in values.leaves(result)}
    found = {}
    for name, type_ in mentioned.items():
        if ir.is_exchanged(name):
            key = (barrier, phase, name)
            found[name] = out.exchanged.setdefault(key, Reg(f"%exchange {len(out.exchanged)}", type_))
    return found


def resolve(out: Unfolding) -> None:
    """Put what lanes bring in the place of the registers that stand for it, when every thread is executed.

    Raises InputError where what is exchanged depends on itself, as where lanes do not agree which exchange is which.
    """
    if out.exchanged:
        _Resolution(out).run()


def together(out: Unfolding) -> bool:
    """Whether all lanes that meet in a loop that waits for what they agree on wait for the same, from the same on."""
    return all(
        any(
            event.id in other.arrivals and (other.meetings, other.again) == (vote.meetings, vote.again)
            for other in out.votes
        )
        for vote in out.votes
        for barrier, phase in vote.meetings
        for event in out.events
        if event.kind is Kind.ARRIVE
        and (passage := out.barriers[event.id]).barrier == barrier
        and (passage.phase == phase or not (event.guard & _same(out, passage.phase, phase)).never)
    )


class _Resolution:
    def __init__(self, out: Unfolding) -> None:
        self.out = out
        self.keys: dict[str, Key] = {register.name: key for key, register in out.exchanged.items()}
        self.types = {register.name: register.type for register in out.exchanged.values()}
        self.known: dict[str, Value | None] = {}  # None: being looked for
        self._events: list[Event] | None = None
        self._arrivals: dict[Barrier, list[Event]] = {}
        self.lanes = {thread.name: thread.lane % WARP for thread in out.program.threads}

    @property
    def arrivals(self) -> Mapping[Barrier, Sequence[Event]]:
        """The arrivals at each barrier."""
        if self._events is not self.out.events:
            self._events, self._arrivals = self.out.events, defaultdict(list)
            for event in self._events:
                if event.kind is Kind.ARRIVE:
                    self._arrivals[self.out.barriers[event.id].barrier].append(event)
        return self._arrivals

    def run(self) -> None:
        out = self.out
        while not (known := self.attended()).always:
            self.simplify(known)
        out.control = {event: self.reads(names) for event, names in out.control.items()}
        out.events = [e if e.value is None else replace(e, value=self.settled(e.value)) for e in out.events]
        out.conditions[:] = [self.settled(condition) for condition in out.conditions]
        out.assertions[:] = [replace(a, condition=self.settled(a.condition)) for a in out.assertions]
        out.addresses = {e: replace(s, index=self.settled(s.index)) for e, s in out.addresses.items()}
        out.ends[:] = [
            (thread, replace(s, registers={r: self.settled(held) for r, held in s.registers.items()}))
            for thread, s in out.ends
        ]
        known = out.guards.always
        for number, condition in enumerate(out.conditions):
            if isinstance(condition, Const):
                known &= out.guards.literal(number, bool(condition.value))
        if not known.always:
            self.simplify(known)
        for name, passage in out.barriers.items():
            vote = passage.vote
            out.barriers[name] = replace(
                passage,
                phase=self.settled(passage.phase),
                vote=None if vote is None else replace(vote, predicate=self.settled(vote.predicate)),
                name=tuple(map(self.settled, passage.name)),
            )

    def attended(self) -> Guard:
        """What is known of the conditions that lanes come to where they come on every path to begin with."""
        known = self.out.guards.always
        for number, condition in enumerate(self.out.conditions):
            if not isinstance(condition, Reg) or condition.name not in self.keys:
                continue
            barrier, phase, name = self.keys[condition.name]
            if name.startswith("%came") and any(
                e.guard.always and self.out.barriers[e.id].phase == phase
                for e in self.arrivals[barrier]
                if self.lanes[e.thread] == int(name.split()[1])
            ):
                known &= self.out.guards.literal(number, True)
                self.out.conditions[number] = values.TRUE
                self.known[condition.name] = values.TRUE
        return known

    def simplify(self, known: Guard) -> None:
        """Leave out of guards what is known of the conditions, and what is on no path."""
        out = self.out

        def short(guard: Guard) -> Guard:
            return guard.where(known)

        def shorter(guard: Guard | None) -> Guard | None:
            return None if guard is None else short(guard)

        out.events = [replace(e, guard=short(e.guard), success=shorter(e.success)) for e in out.events]
        faults = [replace(a, guard=short(a.guard)) for a in out.assertions]
        out.assertions[:] = [a for a in faults if not (a.implicit and (a.guard.never or self.holds(a.condition)))]
        cuts = [
            replace(c, guard=short(c.guard), counted=shorter(c.counted), queries=shorter(c.queries)) for c in out.cuts
        ]
        out.cuts[:] = [cut for cut in cuts if not cut.guard.never]
        out.waits[:] = [replace(w, reached=short(w.reached), passed=short(w.passed)) for w in out.waits]
        out.addresses = {e: replace(s, guard=short(s.guard)) for e, s in out.addresses.items()}
        out.ends[:] = [
            (thread, replace(s, guard=short(s.guard), unset={r: short(where) for r, where in s.unset.items()}))
            for thread, s in out.ends
        ]

    def holds(self, condition: Value) -> bool:
        """Whether a condition is known to hold."""
        return condition == values.TRUE or (
            isinstance(condition, Reg) and self.known.get(condition.name) == values.TRUE
        )

    def reads(self, names: frozenset[str]) -> frozenset[str]:
        """Events, with those that a register stands for in its place."""
        if self.keys.keys().isdisjoint(names):
            return names
        return frozenset().union(
            *(self.out.events_of(self.definition(name)) if name in self.keys else {name} for name in names)
        )

    def settled(self, value: Value) -> Value:
        """A value over what is read alone."""

        def leaf(one: Reg | Builtin) -> Value:
            return self.definition(one.name) if one.name in self.keys else one

        if all(one.name not in self.keys for one in values.leaves(value)):
            return value
        return self.out.guards.names.short(values.substitute(value, leaf))

    def definition(self, register: str) -> Value:
        """What a register stands for."""
        if register not in self.known:
            self.known[register] = None
            barrier, phase, name = self.keys[register]
            there = list(self.there(barrier, phase, int(name.split()[1])))
            if name.startswith("%came"):
                came = reduce(lambda found, one: found | one[1], there, self.out.guards.never)
                value = came.value(self.out.conditions)
            else:
                type_ = self.types[register]
                value = Const(0, type_)
                for n, (event, guard) in enumerate(there):
                    brought = self.out.barriers[event.id].brought
                    assert brought is not None
                    value = values.choose(guard.value(self.out.conditions), brought, value) if n else brought
            self.known[register] = values.cast(self.settled(value), self.types[register])
        found = self.known[register]
        if found is None:
            barrier, _, name = self.keys[register]
            event = next(e for e in self.arrivals[barrier] if self.lanes[e.thread] == int(name.split()[1]))
            message = f"what `{barrier.exchange}` gives decides which one of them it is, and by that what it gives"
            raise error(Code.OUTSIDE_SUBSET, message, event.span, "let all lanes go the same way")
        return found

    def there(self, barrier: Barrier, phase: Value, lane: int) -> Iterator[tuple[Event, Guard]]:
        """The arrivals of a lane that may be of a phase, each with where it is, of what some lane comes there on."""
        whole = reduce(or_, (e.guard for e in self.arrivals[barrier] if self.out.barriers[e.id].phase == phase))
        for event in self.arrivals[barrier]:
            if self.lanes[event.thread] != lane:
                continue
            own = self.out.barriers[event.id].phase
            guard = event.guard if own == phase else event.guard & _same(self.out, own, phase)
            if not (guard & whole).never:
                yield event, guard.where(whole)


def _same(out: Unfolding, one: Value, other: Value) -> Guard:
    """Where two phases are one."""
    found = out.guards.never
    for first, here in _cases(out, one):
        for second, there in _cases(out, other):
            if first == second:
                found |= here & there
    return found


def _cases(out: Unfolding, phase: Value) -> Iterator[tuple[int, Guard]]:
    """The numbers that a phase may be, each with where it is."""
    match phase:
        case Const(number, _):
            yield number, out.guards.always
        case Choose(condition, then, otherwise, _):
            here = _guard(out, condition)
            yield from ((n, guard & here) for n, guard in _cases(out, then))
            yield from ((n, guard & ~here) for n, guard in _cases(out, otherwise))
        case Binary("+", left, Const(number, _), _):
            yield from ((n + number, guard) for n, guard in _cases(out, left))
        case Named(_, inner) | Convert(inner, _):
            yield from _cases(out, inner)
        case _:
            raise AssertionError(phase)


def _guard(out: Unfolding, condition: Value) -> Guard:
    """Where a condition holds: it is made of those that branches have, and may be one of them."""
    for number, known in enumerate(out.conditions):
        if known in (condition, values.unary("!", condition)):
            return out.guards.literal(number, known == condition)
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
