"""Threads that can be exchanged: every execution in which they are has a twin, so one order of them is enough.

Two threads can be exchanged if the problem stays the same when the events of one, in program order, change names with
those of the other, and so do the locations that each of them alone accesses: the element of an array that its index
selects, a variable of its own.  Then the writes at one place of theirs may be taken to be coherence-ordered as the
threads are, and those that are not executed to be of the last threads: every permutation of the threads maps an
execution to one that answers every question alike, and one of them sorts it so.  The names of one group's threads say
nothing about the order of another's, so each group may be sorted on its own.

Any one place where all of them write one location is sound, and it has to be one alone, for the orders at two places
may differ.  What says most is the last write that a thread has made where it has come to its end: of a thread that
takes a lock, the one that releases it.

A question stays the same if its condition does but for the order of operands: that all of some results differ
distinguishes none of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import TYPE_CHECKING, assert_never

from scopec.base.records import dataclass
from scopec.memory.events.events import Kind
from scopec.memory.events.guards import Guard
from scopec.memory.given import relations, sets
from scopec.memory.given.forms import Closure, Coherence, Except, Identity, Order, Pair, Product, Same, Sources, Square
from scopec.program.values import TRUE, Binary, Named, Reg, children, leaves, rebuild, substitute

if TYPE_CHECKING:
    from collections.abc import Container, Hashable, Iterator, Mapping, Sequence

    from scopec.memory.events.events import Event, EventGraph
    from scopec.memory.given.forms import Form, When
    from scopec.memory.questions import Problem
    from scopec.program.observe import Location
    from scopec.program.types import IntType
    from scopec.program.values import Builtin, Value


def ordered_writes(problem: Problem) -> Iterator[tuple[str, str]]:
    """Pairs of writes of which the second, if it is executed, may be taken to follow the first in coherence order."""
    graph = problem.base.graph
    private = _owners(graph)
    for group in interchangeable(problem):
        place = _telling(graph, group[0], private)
        if place is not None:
            for one, other in pairwise(group):
                yield one[place].id, other[place].id


def _telling(graph: EventGraph, own: Sequence[Event], private: Container[Location | None]) -> int | None:
    """The place among a thread's events of the last write that it has made wherever it ends, or else of its last, to a
    location that others access too."""
    cuts = [cut.guard for cut in graph.cuts if cut.thread == own[0].thread]
    writes = [place for place, event in enumerate(own) if event.writes and event.location not in private]
    sure = [place for place in writes if reduce(or_, cuts, own[place].guard).always]
    return next(reversed(sure or writes), None)


def interchangeable(problem: Problem) -> list[list[list[Event]]]:
    """Groups of at least two threads that can be exchanged, each thread as its events."""
    threads: dict[str, list[Event]] = defaultdict(list)
    for event in problem.base.graph.events:
        if event.thread:
            threads[event.thread].append(event)
    private = _owners(problem.base.graph)
    similar: dict[Hashable, list[list[Event]]] = defaultdict(list)
    for own in threads.values():
        places = (None if e.location in private else (e.location,) for e in own)
        similar[tuple((e.kind, at, e.order, e.scope) for e, at in zip(own, places, strict=True))].append(own)
    ordered = (like for like in similar.values() if any(e.writes and e.location not in private for e in like[0]))
    candidates = [like for like in ordered if len(like) > 1]
    if not candidates:
        return []
    facts = _Facts(problem)
    groups: list[list[list[Event]]] = []
    for alike in candidates:
        classes: list[list[list[Event]]] = []
        for own in alike:
            # To be exchangeable is an equivalence: (a c) = (b c)(a b)(b c).
            for group in classes:
                if facts.same_if_exchanged(group[0], own):
                    group.append(own)
                    break
            else:
                classes.append([own])
        groups += [group for group in classes if len(group) > 1]
    return groups


def _owners(graph: EventGraph) -> Mapping[Location | None, str]:
    """The locations that one thread alone accesses, after the initial write, with that thread."""
    accessed: dict[Location, set[str]] = defaultdict(set)
    for event in graph.events:
        if event.location is not None and event.kind is not Kind.INIT:
            accessed[event.location].add(event.thread)
    begun = {event.location for event in graph.events if event.kind is Kind.INIT}
    return {at: next(iter(by)) for at, by in accessed.items() if len(by) == 1 and at in begun}


@dataclass(frozen=True, slots=True)
class _Fact:
    """Something that an engine is told: ``what`` about ``events`` (one after the other, or alike within a set).

    A location stands among the events by its name.
    """

    what: Hashable
    events: tuple[str | frozenset[str], ...] = ()
    values: tuple[Value, ...] = ()
    guards: tuple[Guard, ...] = ()

    @property
    def told(self) -> Hashable:
        """The fact, the same for values that differ in the order of operands alone."""
        return self.what, self.events, tuple(map(_unordered, self.values)), self.guards


def _unordered(value: Value) -> Hashable:
    """A value without the order of operands that may stand in any."""
    match value:
        case Binary(op, left, right, type_) if op in _IN_ANY_ORDER:
            grouped = op not in ("==", "!=")
            operands: Counter[Hashable] = Counter()
            work = [left, right]
            while work:
                match work.pop():
                    case Binary(inner, first, second, same) if grouped and (inner, same) == (op, type_):
                        work += (first, second)
                    case operand:
                        operands[_unordered(operand)] += 1
            return op, type_, frozenset(operands.items())
        case Named():
            return value
        case _:
            parts = children(value)
            return (rebuild(value, [TRUE] * len(parts)), *map(_unordered, parts)) if parts else value


#: Operations on numbers of a type's bits, in which operands may stand in any order, and all but the comparisons in any
#: groups.
_IN_ANY_ORDER = ("&&", "||", "==", "!=", "+", "*", "&", "|", "^")


class _Facts:
    """All that distinguishes events, by the threads that it is about."""

    def __init__(self, problem: Problem) -> None:
        graph = problem.base.graph
        self._graph = graph
        private = _owners(graph)
        self._initial: dict[Location | None, str] = {}
        self._thread = {event.id: event.thread for event in graph.events}
        for event in graph.events:
            if event.kind is Kind.INIT and event.location is not None and event.location in private:
                self._initial[event.location] = event.id
                self._thread[event.id] = self._thread[_name(event.location)] = private[event.location]
        self._number = {value: number for number, value in enumerate(graph.conditions)}
        self._about: dict[str, dict[Hashable, _Fact]] = defaultdict(dict)
        for fact in _facts(problem):
            for thread in {self._thread.get(event, "") for event in self._mentions(fact)}:
                self._about[thread][fact.told] = fact

    def same_if_exchanged(self, one: Sequence[Event], other: Sequence[Event]) -> bool:
        """Whether all stays the same when two threads' events change names."""
        pairs = [pair for a, b in zip(one, other, strict=True) for pair in self._renamed(a, b)]
        exchange = _Exchange({**dict(pairs), **{b: a for a, b in pairs}}, self._graph, self._number)
        about = self._about[one[0].thread] | self._about[other[0].thread]
        try:
            return {exchange.fact(fact).told for fact in about.values()} == about.keys()
        except KeyError:  # a condition becomes one that there is not
            return False

    def _renamed(self, one: Event, other: Event) -> Iterator[tuple[str, str]]:
        """The names that change where two events do: those of locations that each thread alone accesses, too."""
        yield one.id, other.id
        if one.location in self._initial:
            assert one.location is not None
            assert other.location is not None
            yield _name(one.location), _name(other.location)
            yield self._initial[one.location], self._initial[other.location]

    def _mentions(self, fact: _Fact) -> Iterator[str]:
        """The events that a fact names, with repetitions."""
        for event in fact.events:
            if isinstance(event, str):
                yield event
            else:
                yield from event
        conditions = {number for guard in fact.guards for number in guard.conditions}
        for value in (*fact.values, *(self._graph.conditions[number] for number in conditions)):
            yield from (self._graph.event_of(leaf.name) for leaf in leaves(value))


class _Exchange:
    """Facts with events called by their ``new`` names."""

    def __init__(self, new: Mapping[str, str], graph: EventGraph, number: Mapping[Value, int]) -> None:
        self._new = new
        self._graph = graph
        self._number = number
        self._guards: dict[Guard, Guard] = {}

    def fact(self, fact: _Fact) -> _Fact:
        """The fact about the others; KeyError for a condition that there is not."""
        events = tuple(self._event(e) if isinstance(e, str) else frozenset(map(self._event, e)) for e in fact.events)
        values = tuple(substitute(value, self._leaf) for value in fact.values)
        return _Fact(fact.what, events, values, tuple(map(self._guard, fact.guards)))

    def _event(self, event: str) -> str:
        return self._new.get(event, event)

    def _leaf(self, leaf: Reg | Builtin) -> Value:
        if not isinstance(leaf, Reg):
            return leaf
        choice = self._graph.choices.get(leaf.name)
        name = self._event(leaf.name) if choice is None else replace(choice, of=self._event(choice.of)).register
        return Reg(name, leaf.type)

    def _guard(self, guard: Guard) -> Guard:
        if guard.always or guard.never:
            return guard
        if guard not in self._guards:
            number, low, high = guard.branch
            here = guard.guards.literal(self._number[substitute(self._graph.conditions[number], self._leaf)], True)
            self._guards[guard] = (here & self._guard(high)) | (~here & self._guard(low))
        return self._guards[guard]


def _facts(problem: Problem) -> Iterator[_Fact]:
    """The facts that an encoding is made from.  Every fact is of a kind of which a repetition says nothing more."""
    base, graph = problem.base, problem.base.graph
    position: dict[str, int] = defaultdict(int)
    for e in graph.events:
        position[e.thread] += 1
        at = () if e.location is None else (_name(e.location),)
        what = ("event", position[e.thread], e.kind) if e.thread else ("initial",)
        yield _Fact((*what, e.rmw is None, e.value is None), (e.id, *at), (e.value or TRUE,), (e.guard,))
        if e.rmw is not None:
            yield _Fact("rmw", (e.id, e.rmw))
    for choice in graph.choices.values():
        yield _Fact(("choice", choice.what, choice.values), (choice.of,))
    for read, domain in problem.domains.of.items():
        if read in graph.by_id:
            yield _Fact(("domain", domain), (read,))
    for name in problem.named:
        if name in sets.SETS:
            for part in sets.members(base, name):
                yield from (_fact(name, part.when, member) for member in part.events)
        elif name in relations.RELATIONS:
            for form in problem.forms(name):
                yield from _told(name, form)
    for guard, value in graph.impossible:
        yield _Fact("impossible", (), (value,), (guard,))
    for cut in graph.cuts:
        yield _Fact(("cut", cut.wait, cut.stopped), (), (), (cut.guard,))
    for question in problem.questions:
        if question.target is not None:
            for e in graph.events:
                if question.target.holds(e.location):
                    yield _Fact((question.name, "target"), (e.id,))
        for a in question.assertions:
            yield _Fact((question.name, "assertion"), (), (a.condition,), (a.guard,))
        if question.formula is not None:
            outcome = graph.at_the_end(question.formula, _final)
            if outcome is not None:
                yield _Fact((question.name, "outcome"), (), (outcome,))


def _told(name: str, form: Form) -> Iterator[_Fact]:
    """The facts of a form of a given relation."""
    match form:
        case Pair(before, after, when):
            yield _fact(name, when, before, after)
        case Product(before, after, when):
            yield _fact(name, when, frozenset(before), frozenset(after))
        case Square(events) | Identity(events):
            yield _fact(name, None, frozenset(events))
        case Closure(pairs) | Order(pairs):
            yield from (_fact(name, None, *pair) for pair in pairs)
        case Except(forms):
            yield from (fact for part in forms for fact in _told(name, part))
        case Same() | Sources() | Coherence():
            pass  # the kind and the location of each event say it
        case _:
            assert_never(form)


def _fact(what: Hashable, when: When, *events: str | frozenset[str]) -> _Fact:
    if isinstance(when, Guard):
        return _Fact(what, events, (), (when,))
    return _Fact(what, events, () if when is None else (when,))


def _final(location: Location, type_: IntType) -> Value:
    return Reg(_name(location), type_)


def _name(location: Location) -> str:
    """A name that is none of an event."""
    return f" {location.object} {location.instance} {location.index}"
