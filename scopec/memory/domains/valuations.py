"""Valuations: what a program's threads execute, and with which values, where reads return given ones.

A valuation may be partial.  If a question needs a value that it does not have, it says which, and the question is asked
again with each value that there may be.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from scopec.memory.events.events import Kind
from scopec.program.ir import Storage
from scopec.program.values import FALSE, TRUE, Binary, Const, Reg, binary, evaluate, leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from scopec.memory.domains.domains import Domains
    from scopec.memory.events.events import Event, EventGraph
    from scopec.memory.events.guards import Guard
    from scopec.program.types import IntType
    from scopec.program.values import Builtin, Value

#: The valuations that are looked at for one question, and for all questions about one graph.
MOST_VALUATIONS = 1 << 11
MOST_IN_ALL = 1 << 13


#: The choices of the implementation, by name.
Circumstances: TypeAlias = "frozenset[tuple[str, int]]"


class TooManyError(Exception):
    """A question has more valuations than are worth looking at."""


class CircularError(Exception):
    """A choice is not free where its own value says so, as that of a vote by whose result lanes come to it."""


class _UnknownError(Exception):
    """A valuation needs a value that it does not know; carries the name."""


class Valuations:
    """The valuations of an event graph, whose reads return the values that ``known`` gives them.

    Reads of one location, order and scope that are the n-th of their thread on ways that exclude each other are one
    read.  What a thread reads of a local variable that it alone accesses is what it wrote there last.
    """

    def __init__(self, graph: EventGraph, known: Domains) -> None:
        self.graph = graph
        self.position = {event.id: i for i, event in enumerate(graph.events)}
        self._values = known.of
        self._left = MOST_IN_ALL

    def every(
        self,
        read: str,
        judge: Callable[[Sequence[Valuation], Circumstances], None],
        enough: Callable[[Circumstances], bool],
    ) -> None:
        """Show a judge the valuations in which ``read`` has each of its values, others alike, and the circumstances.

        Those are what is asked of them and is left to the implementation before they begin; where ``enough`` is known
        they are passed over.  Raises TooManyError.
        """
        work: list[Mapping[str, int]] = [{}]
        looked_at = 0
        while work:
            known = work.pop()
            circumstances = frozenset((name, value) for name, value in known.items() if name in self._outside)
            if enough(circumstances):
                continue
            valuations = [Valuation(self, {**known, read: value}) for value in sorted(self._values[read])]
            looked_at += len(valuations)
            self._left -= len(valuations)
            if looked_at > MOST_VALUATIONS or self._left < 0:
                raise TooManyError
            try:
                judge(valuations, circumstances)
            except _UnknownError as unknown:
                (name,) = unknown.args
                work += [{**known, name: value} for value in sorted(self._values[name], reverse=True)]

    @cached_property
    def _outside(self) -> Mapping[str, IntType]:
        """The choices that are not made when something is read (as a compare-exchange's is), by their types."""
        free = {name for name, choice in self.graph.choices.items() if choice.of not in self.members}
        mentioned = (leaf for condition in self.graph.conditions for leaf in leaves(condition))
        stored = (leaf for event in self.graph.events if event.value is not None for leaf in leaves(event.value))
        return {leaf.name: leaf.type for leaf in (*mentioned, *stored) if leaf.name in free}

    def where(self, found: Iterable[Circumstances]) -> Value | None:
        """A condition that holds in any of some circumstances; None where there are always some of them."""
        known = set(found)
        for name, choice in self.graph.choices.items():  # what is so whichever way something is chosen
            for circumstances in list(known):
                rest = frozenset(chosen for chosen in circumstances if chosen[0] != name)
                if all(rest | {(name, value)} in known for value in choice.values):
                    known.add(rest)
        result: Value = FALSE
        for circumstances in sorted((c for c in known if not any(other < c for other in known)), key=sorted):
            one: Value = TRUE
            for name, value in sorted(circumstances):
                type_ = self._outside[name]
                one = binary("&&", one, binary("==", Reg(name, type_), Const(value, type_)))
            result = binary("||", result, one)
        return None if result == TRUE else result

    def counterpart(self, register: str) -> str:
        """The name that a read, or what is chosen at one, has here."""
        choice = self.graph.choices.get(register)
        if choice is None:
            return self.same.get(register, register)
        return replace(choice, of=self.same.get(choice.of, choice.of)).register

    def varies(self, read: str) -> bool:
        """Whether a read may return different values."""
        return len(self._values[read]) > 1

    # ---- what an expression is computed from

    def reads(self, guards: Iterable[Guard], values: Iterable[Value]) -> frozenset[str]:
        """The reads that conditions and values mention, each by the name that it has here."""
        found: set[str] = set()
        seen: set[str] = set()
        work = {leaf.name for value in values for leaf in leaves(value)}
        work |= {name for guard in guards for name in self._mentioned(guard)}
        while work:
            name = work.pop()
            if name in seen:
                continue
            seen.add(name)
            for guard, value in self.settled.get(name, ()):
                work |= self._mentioned(guard) | {leaf.name for leaf in leaves(value)}
            if name in self.stored:
                for write in self.stored[name]:
                    work |= self._mentioned(write.guard)
                    work |= {leaf.name for leaf in leaves(write.value)} if write.value is not None else set()
            elif name not in self.graph.choices:
                found.add(self.same.get(name, name))
        return frozenset(found)

    def _mentioned(self, guard: Guard) -> frozenset[str]:
        if guard.node not in self._in_guards:
            conditions = (self.graph.conditions[number] for number in guard.conditions)
            self._in_guards[guard.node] = frozenset(leaf.name for value in conditions for leaf in leaves(value))
        return self._in_guards[guard.node]

    @cached_property
    def _in_guards(self) -> dict[int, frozenset[str]]:
        return {}

    # ---- what the program settles

    @cached_property
    def same(self) -> Mapping[str, str]:
        """For each read whose place among its like is one on all of its ways the first read of that place."""
        alike: dict[Hashable, list[Event]] = defaultdict(list)
        for e in self.graph.events:
            if e.kind is Kind.READ:
                how = (e.order, e.failure, e.scope, e.volatile, e.load_or_store, e.rmw is None)
                alike[e.thread, e.location, how].append(e)
        found: dict[str, str] = {}
        for group in alike.values():
            first: dict[int, str] = {}
            for i, event in enumerate(group):
                before = [other for other in group[:i] if not event.guard.excludes(other.guard)]
                if all(event.guard.excludes(~other.guard) for other in before):
                    found[event.id] = first.setdefault(len(before), event.id)
        return found

    @cached_property
    def members(self) -> Mapping[str, Sequence[Event]]:
        """The reads that are one, by its name."""
        found: dict[str, list[Event]] = defaultdict(list)
        for event in self.graph.events:
            if event.kind is Kind.READ:
                found[self.same.get(event.id, event.id)].append(event)
        return found

    @cached_property
    def stored(self) -> Mapping[str, Sequence[Event]]:
        """For each read of a local variable that one thread accesses the writes before it, the latest first."""
        found: dict[str, list[Event]] = {}
        for location in self.graph.locations:
            accesses = self.graph.accesses(location)
            own = self.graph.program.objects[location.object].storage is Storage.AUTOMATIC
            if own and len({e.thread for e in accesses if e.thread}) == 1 and not any(e.volatile for e in accesses):
                for i, event in enumerate(accesses):
                    if event.kind is Kind.READ:
                        found[event.id] = [e for e in reversed(accesses[:i]) if e.writes]
        return found

    @cached_property
    def settled(self) -> Mapping[str, Sequence[tuple[Guard, Value]]]:
        """For each choice that is not free everywhere where it is not, and what it is there.

        Who takes part determines the result of a vote; a query does not say that what never ends is complete.
        """
        found: dict[str, list[tuple[Guard, Value]]] = defaultdict(list)
        for guard, value in self.graph.impossible:
            match value:
                case Binary("!=", Reg(name, _), result, _):
                    found[name].append((guard, result))
                case Binary("==", Reg(name, type_), Const(never, _), _):
                    (other,) = (v for v in self.graph.choices[name].values if v != never)
                    found[name].append((guard, Const(other, type_)))
                case _:
                    pass
        return found


class Valuation:
    """The execution in which the reads and choices ``known`` have these values."""

    def __init__(self, valuations: Valuations, known: Mapping[str, int]) -> None:
        self._valuations = valuations
        self._known = known
        self._conditions: dict[int, bool] = {}
        self._settled: dict[str, int] = {}
        self._begun: set[str] = set()

    def value(self, value: Value) -> int:
        """The value of an expression; raises ArithmeticFault if C++ defines none."""
        return evaluate(value, self._leaf)

    def holds(self, guard: Guard) -> bool:
        """Whether a path is the one taken."""
        while not (guard.always or guard.never):
            number, low, high = guard.branch
            if number not in self._conditions:
                self._conditions[number] = bool(self.value(self._valuations.graph.conditions[number]))
            guard = high if self._conditions[number] else low
        return guard.always

    def _leaf(self, leaf: Reg | Builtin) -> int:
        if leaf.name not in self._settled:
            found = self._of_settled(leaf.name)
            if found is None:
                return self._of_read(leaf)
            self._settled[leaf.name] = found
        return self._settled[leaf.name]

    def _of_settled(self, name: str) -> int | None:
        """The value of a choice where it is not free; CircularError if that hangs on the choice itself."""
        if name in self._begun:
            raise CircularError
        self._begun.add(name)
        try:
            for guard, value in self._valuations.settled.get(name, ()):
                if self.holds(guard):
                    return self.value(value)
            return None
        finally:
            self._begun.remove(name)

    def _of_read(self, leaf: Reg | Builtin) -> int:
        valuations = self._valuations
        for write in valuations.stored.get(leaf.name, ()):
            if self.holds(write.guard):
                assert write.value is not None
                return self.value(write.value)
        name = valuations.counterpart(leaf.name)
        if name not in self._known:
            raise _UnknownError(name)
        return self._known[name]
