"""The values that each read may return: the finite value atoms of a specification are made from them."""

from __future__ import annotations

import itertools
from contextlib import suppress
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, assert_never

from scopec.base.diagnostics import Code, error
from scopec.base.graphs import components
from scopec.base.records import dataclass
from scopec.memory.events.events import Kind
from scopec.program.types import ArithmeticFault, IntType
from scopec.program.values import (
    FALSE,
    TRUE,
    Binary,
    Builtin,
    Choose,
    Const,
    Convert,
    Named,
    Reg,
    Unary,
    Value,
    applied,
    children,
    evaluate,
    inner_first,
    leaves,
    size,
    substitute,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scopec.base.source import Span
    from scopec.memory.events.events import Assertion, Event, EventGraph

MOST_VALUES = 512
MOST_COMBINATIONS = 1 << 15
MOST_EXACT = 1 << 15


@dataclass(frozen=True)
class Domains:
    """The values that reads and choices may have, by register.

    ``closed`` is false where the writes compute ever new values from each other (a counter); then the domains hold what
    chains without repetition produce, and executions in which a write's value lies outside must be ruled out.  ``open``
    are the reads that such a write, or one computed from it, may be read by.
    """

    of: Mapping[str, frozenset[int]]
    closed: bool
    open: frozenset[str] = frozenset()

    def values(self, value: Value) -> frozenset[int]:
        """The values that an expression may have, and where that would take long to find out, maybe some more."""
        return self._all.values(value)

    def completed(self) -> Domains:
        """The same, known to hold every value that an execution has."""
        return Domains(self.of, closed=True)

    @cached_property
    def _all(self) -> _Possible:
        return _Possible(self, None)

    @cached_property
    def checked(self) -> _Possible:
        """The same, but no operation with more combinations of operands than are worth computing."""
        return _Possible(self, MOST_COMBINATIONS)

    def table(self, value: Value) -> list[tuple[tuple[int, ...], int]]:
        """For each combination of its distinct leaves, in their order, the value that an expression has.

        Combinations for which C++ defines no result are left out.
        """
        names = list(dict.fromkeys(leaf.name for leaf in leaves(value)))
        rows: list[tuple[tuple[int, ...], int]] = []
        for combination in itertools.product(*(sorted(self.of[n]) for n in names)):
            known = dict(zip(names, combination, strict=True))
            try:
                rows.append((combination, evaluate(value, lambda leaf: known[leaf.name])))  # noqa: B023
            except ArithmeticFault:
                continue
        return rows

    def is_small(self, value: Value, also: int = 0) -> bool:
        """Whether a table of an expression is made quickly, of one with ``also`` more nodes too."""
        combinations = prod(len(self.of[n]) for n in {leaf.name for leaf in leaves(value)})
        return combinations * (size(value) + also) <= MOST_EXACT


class _TooManyError(Exception):
    """An operation has more combinations of operands than are worth computing."""


class _Possible:
    """The possible values of expressions: exact where the reads that they need have few combinations.

    Elsewhere an operation has the results of all combinations of what its operands may be, whether or not one execution
    has them together: a domain may hold values that no execution has.
    """

    def __init__(self, known: Domains, most: int | None) -> None:
        self._domains = known
        self._most = most
        self._known: dict[Value, frozenset[int]] = {}

    def values(self, value: Value) -> frozenset[int]:
        if value not in self._known:
            small = self._domains.is_small(value)
            found = {result for _, result in self._domains.table(value)} if small else self._composed(value)
            self._known[value] = frozenset(found)
        return self._known[value]

    def _composed(self, value: Value) -> Iterable[int]:
        match value:
            case Named(_, long):
                with suppress(_TooManyError):  # a choice that is decided may leave that one out
                    for inner in inner_first(value, self._known.__contains__):
                        self.values(inner)
                return self.values(long)
            case Choose(condition, then, otherwise, _):
                sides = (then if holds else otherwise for holds in sorted(map(bool, self.values(condition))))
                return {result for side in sides for result in self.values(side)}
            case Unary() | Convert() | Binary():
                return self._results(value)
            case Const(number, _):
                return {number}
            case Reg(name, _) | Builtin(name, _):
                return self._domains.of[name]
            case _:
                assert_never(value)

    def _results(self, value: Value) -> Iterator[int]:
        possible = [self.values(operand) for operand in children(value)]
        if self._most is not None and prod(map(len, possible)) > self._most:
            raise _TooManyError
        for row in itertools.product(*possible):
            with suppress(ArithmeticFault):
                yield applied(value, row)


def domains(graph: EventGraph, mentioned: Iterable[int] = ()) -> Domains:
    """The domains of a graph, of which the engines can make the tables that they need; InputError if they cannot."""
    found = possible_values(graph, mentioned)
    for what, value, span in _tabulated(graph):
        try:
            found.checked.values(value)
        except _TooManyError:
            raise _too_many(what, span) from None
    return found


def possible_values(graph: EventGraph, mentioned: Iterable[int] = (), wanted: Iterable[Value] | None = None) -> Domains:
    """The domains of a graph's reads and choices; ``mentioned`` are values that only an expectation names.

    With ``wanted``, of the reads that these values are computed from.

    A value travels from a constant through computed writes, each of which computes it from reads that its own depends
    on.  In an execution without cycles of reads-from and dependency no write occurs twice on the way.  So among writes
    that may depend on each other, as many rounds as there are of them reach every value; writes that depend on others
    only come after these.

    Of dependencies those suffice that no compiler can remove: a write that stores the same whichever of these values a
    read returns (``1 + (r ^ r)``) may be on a cycle of reads-from with it, and stores the same there.  Other values may
    fit such a cycle too (``r <= 1 ? 1 : r`` hands a 5 round); they come out of thin air, and engines give reads that
    may depend on themselves (:func:`circular_reads`) values of the domains alone.
    """
    reads = {e.id: e for e in (graph.events if wanted is None else _read_for(graph, wanted)) if e.kind is Kind.READ}
    computed = {e.id: e for e in graph.events if e.writes and not isinstance(e.value, Const)}
    copied = {e.location for e in computed.values()}
    extra = frozenset(mentioned)
    stored: dict[str, frozenset[int]] = {
        e.id: frozenset({e.value.value}) for e in graph.events if e.writes and isinstance(e.value, Const)
    }
    sources = {n: [w.id for w in graph.accesses(r.location) if w.writes] for n, r in reads.items() if r.location}
    computed = {w: computed[w] for w in dict.fromkeys(w for found in sources.values() for w in found) if w in computed}

    def needs(write: str) -> dict[str, None]:
        value = computed[write].value
        assert value is not None
        return dict.fromkeys(leaf.name for leaf in leaves(value))

    def depends_on(write: str) -> list[str]:
        return [w for name in needs(write) for w in sources.get(name, ()) if w in computed]

    def readable(names: Iterable[str]) -> Domains:
        of = {name: frozenset(choice.values) for name, choice in graph.choices.items()}
        for read in (reads[name] for name in names if name in reads):
            values = frozenset[int]().union(*(stored.get(w, frozenset()) for w in sources[read.id]))
            of[read.id] = values | extra if read.location in copied else values
            if len(of[read.id]) > MOST_VALUES:
                raise error(Code.TOO_LARGE, f"more than {MOST_VALUES} values may be read here", read.span)
        return Domains(of, closed=True)

    def possible(write: str, known: _Possible) -> frozenset[int]:
        event = computed[write]
        assert event.value is not None
        try:
            return known.values(event.value)
        except _TooManyError:
            raise _too_many("what is written here", event.span) from None

    closed = True
    beyond: set[str] = set()  # writes that may store values outside the domains
    for group in reversed(components(computed, depends_on)):
        needed = {name: None for write in group for name in needs(write)}
        for turn in range(len(group) + 1):
            before = readable(needed).checked
            following = {w: possible(w, before) for w in group}
            if all(stored.get(w) == values for w, values in following.items()):
                break
            if turn == len(group):
                closed = False
                beyond |= set(group)
                break
            stored |= following
        if any(w in beyond for write in group for w in depends_on(write)):
            beyond |= set(group)
    open_ = frozenset(read for read, from_ in sources.items() if not beyond.isdisjoint(from_))
    return Domains(readable(reads).of, closed, open_)


def _read_for(graph: EventGraph, wanted: Iterable[Value]) -> Iterator[Event]:
    """The reads that values are computed from."""
    known: set[str] = set()
    work = list(wanted)
    while work:
        for leaf in leaves(work.pop()):
            if leaf.name not in known:
                known.add(leaf.name)
                read = graph.by_id.get(leaf.name)
                if read is not None and read.location is not None:
                    yield read
                    work += [e.value for e in graph.accesses(read.location) if e.value is not None]


def circular_reads(graph: EventGraph) -> list[str]:
    """The reads whose values may depend on themselves, if every write to a location may be read from.

    On a cycle of these nothing makes a value but that there is to be one.
    """
    reads = {e.id: e for e in graph.events if e.kind is Kind.READ}
    leaves_of = {
        e.id: [leaf.name for leaf in leaves(e.value)] for e in graph.events if e.writes and e.value is not None
    }
    computed_from = {
        read.id: [
            name
            for write in (graph.accesses(read.location) if read.location is not None else ())
            for name in leaves_of.get(write.id, ())
            if name in reads
        ]
        for read in reads.values()
    }
    groups = components(computed_from, lambda read: computed_from[read])
    return [read for group in groups for read in group if len(group) > 1 or read in computed_from[read]]


def _too_many(what: str, span: Span) -> Exception:
    message = f"{what} depends on more than {MOST_COMBINATIONS} combinations of values that may be read"
    return error(Code.TOO_LARGE, message, span, "use fewer threads, fewer values or a smaller bound")


def _tabulated(graph: EventGraph) -> Iterator[tuple[str, Value, Span]]:
    """The values that engines tabulate beside those of writes, in words, and the place."""
    first: dict[int, Span] = {}
    for guard, span in reversed({e.guard: e.span for e in reversed(graph.events)}.items()):
        for number in guard.conditions:
            first.setdefault(number, span)
    for number in sorted(first):
        for operand in _compared(graph.conditions[number]):
            yield "whether this is executed", operand, first[number]
    for assertion in graph.assertions:
        for operand in _compared(assertion.condition):
            yield "this assertion", operand, assertion.span
    last = {e.thread: e.span for e in graph.events}
    for (thread, register), final in graph.finals.items():
        if thread in last:
            yield f"the final value of `{register}`", final.value, last[thread]


def _compared(condition: Value) -> Iterator[Value]:
    """The operands of comparisons in a condition: engines tabulate that, and take the logic around it as it is."""
    match condition:
        case Unary("!") | Binary("&&" | "||") | Choose(type=IntType(is_bool=True)):
            for part in children(condition):
                yield from _compared(part)
        case Binary():
            yield from children(condition)
        case _:
            yield condition


def may_fail(graph: EventGraph, known: Domains) -> Iterator[Assertion]:
    """The implicit assertions that may fail, by the values that may be read.

    Values that the path there rules out by themselves do not count: ``a[r]`` is one of two after ``if (r < 2)``.
    """
    for assertion in graph.faults:
        path = assertion.guard.value(graph.conditions)
        condition = assertion.condition
        names = list(dict.fromkeys(leaf.name for leaf in leaves(condition)))
        if not known.open.isdisjoint(names):
            yield assertion
            continue
        if not known.is_small(condition, size(path)):
            if known.values(condition) != {1}:
                yield assertion
            continue
        for combination in itertools.product(*(sorted(known.of[n]) for n in names)):
            here = dict(zip(names, combination, strict=True))
            if _where(condition, here) != TRUE and _where(path, here) != FALSE:
                yield assertion
                break


def _where(value: Value, known: Mapping[str, int]) -> Value:
    """A value where some reads have known values."""
    return substitute(value, lambda leaf: Const(known[leaf.name], leaf.type) if leaf.name in known else leaf)
