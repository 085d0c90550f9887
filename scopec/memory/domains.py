"""Which values each read may return: what the finite value atoms of a specification are made from."""

from __future__ import annotations

import itertools
from math import prod
from typing import TYPE_CHECKING

from scopec.diagnostics import Code, error
from scopec.graphs import components
from scopec.memory.events import Kind
from scopec.program.types import ArithmeticFault
from scopec.program.values import FALSE, Binary, Choose, Const, Unary, Value, evaluate, leaves, substitute
from scopec.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scopec.memory.events import EventGraph, Index
    from scopec.source import Span

MOST_VALUES = 512
MOST_COMBINATIONS = 1 << 15


@dataclass(frozen=True)
class Domains:
    """The values that reads and choices may have, by register.

    ``closed`` is false where the writes compute ever new values from each other (a counter); then the domains hold what
    chains without repetition produce, and executions in which a write's value lies outside must be ruled out.
    """

    of: Mapping[str, frozenset[int]]
    closed: bool

    def values(self, value: Value) -> frozenset[int]:
        """The values that an expression may have."""
        return frozenset(result for _, result in self.table(value))

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

    def checked(self, value: Value, what: str, span: Span) -> Value:
        """The value, or InputError where a table of it would be too long."""
        names = {leaf.name for leaf in leaves(value)}
        if prod(len(self.of[n]) for n in names) > MOST_COMBINATIONS:
            message = f"{what} depends on more than {MOST_COMBINATIONS} combinations of values that may be read"
            raise error(Code.TOO_LARGE, message, span, "use fewer threads, fewer values or a smaller bound")
        return value


def domains(graph: EventGraph, mentioned: Iterable[int] = ()) -> Domains:
    """The domains of a graph's reads and choices; ``mentioned`` are values that only an expectation names.

    A value travels from a constant through computed writes.  In an execution without cycles of reads-from and
    dependency no write occurs twice on the way.  So among writes that depend on each other, as many rounds as there are
    of them reach every value; writes that depend on others only come after these.
    """
    reads = [e for e in graph.events if e.kind is Kind.READ]
    computed = {e.id: e for e in graph.events if e.writes and not isinstance(e.value, Const)}
    copied = {e.location for e in computed.values()}
    extra = frozenset(mentioned)
    stored: dict[str, frozenset[int]] = {
        e.id: frozenset({e.value.value}) for e in graph.events if e.writes and isinstance(e.value, Const)
    }
    sources = {r.id: [w.id for w in graph.accesses(r.location) if w.writes] for r in reads if r.location is not None}

    def depends_on(write: str) -> list[str]:
        value = computed[write].value
        assert value is not None
        names = dict.fromkeys(leaf.name for leaf in leaves(value))
        return [w for name in names for w in sources.get(name, ()) if w in computed]

    def readable() -> Domains:
        of = {name: frozenset(domain) for name, domain in graph.choices.items()}
        for read in reads:
            values = frozenset[int]().union(*(stored.get(w, frozenset()) for w in sources[read.id]))
            of[read.id] = values | extra if read.location in copied else values
            if len(of[read.id]) > MOST_VALUES:
                raise error(Code.TOO_LARGE, f"more than {MOST_VALUES} values may be read here", read.span)
        return Domains(of, closed=True)

    def value(write: str, known: Domains) -> Value:
        event = computed[write]
        assert event.value is not None
        return known.checked(event.value, "the value that is written here", event.span)

    closed = True
    for group in reversed(components(computed, depends_on)):
        for turn in range(len(group) + 1):
            before = readable()
            following = {w: before.values(value(w, before)) for w in group}
            if all(stored.get(w) == values for w, values in following.items()):
                break
            if turn == len(group):
                closed = False
                break
            stored |= following
    found = Domains(readable().of, closed)
    for number, condition in enumerate(graph.conditions):
        at = next((e.span for e in graph.events if number in e.guard.conditions), None)
        if at is not None:
            for operand in _compared(condition):
                found.checked(operand, "whether this is executed", at)
    return found


def _compared(condition: Value) -> Iterator[Value]:
    """What a condition compares: engines tabulate that, and take the logic around it as it is."""
    match condition:
        case Unary("!", operand, _):
            yield from _compared(operand)
        case Choose(test, then, otherwise, type_) if type_.is_bool:
            for part in (test, then, otherwise):
                yield from _compared(part)
        case Binary(op, left, right, _) if op in ("&&", "||"):
            yield from _compared(left)
            yield from _compared(right)
        case Binary(_, left, right, _):
            yield left
            yield right
        case _:
            yield condition


def doubtful_indices(graph: EventGraph, known: Domains) -> Iterator[Index]:
    """The indices that may lie outside their objects, by the values that may be read.

    Values that the path to the access rules out by themselves do not count: `if (r < 2) a[r]` is inside two elements.
    """
    for index in graph.indices:
        names = list(dict.fromkeys(leaf.name for leaf in leaves(known.checked(index.value, "an index", index.span))))
        path = index.guard.value(graph.conditions)
        if any(
            not 0 <= selected < index.length and _where(path, dict(zip(names, combination, strict=True))) != FALSE
            for combination, selected in known.table(index.value)
        ):
            yield index


def _where(value: Value, known: Mapping[str, int]) -> Value:
    """A value where some reads have known values."""
    return substitute(value, lambda leaf: Const(known[leaf.name], leaf.type) if leaf.name in known else leaf)
