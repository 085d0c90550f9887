"""Which values each read may return: what the finite value atoms of a specification are made from."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scopec.diagnostics import Code, error
from scopec.memory.events import Kind
from scopec.program.types import ArithmeticFault
from scopec.program.values import Const, Value, evaluate, leaves

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scopec.memory.events import EventGraph

MOST_VALUES = 512


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
        rows = []
        for combination in itertools.product(*(sorted(self.of[n]) for n in names)):
            known = dict(zip(names, combination, strict=True))
            try:
                rows.append((combination, evaluate(value, lambda leaf: known[leaf.name])))  # noqa: B023
            except ArithmeticFault:
                continue
        return rows


def domains(graph: EventGraph, mentioned: Iterable[int] = ()) -> Domains:
    """The domains of a graph's reads and choices; ``mentioned`` are values that only an expectation names.

    A value travels from a constant through computed writes.  In an execution without cycles of reads-from and
    dependency no write occurs twice on the way, so as many rounds as there are computed writes reach every value.
    """
    reads = [e for e in graph.events if e.kind is Kind.READ]
    writes = [e for e in graph.events if e.writes]
    computed = [e for e in writes if not isinstance(e.value, Const)]
    extra = frozenset(mentioned) if computed else frozenset[int]()
    of: dict[str, frozenset[int]] = {name: frozenset(domain) for name, domain in graph.choices.items()}
    copied = {e.location for e in computed}
    also = {e.id: extra if e.location in copied else frozenset[int]() for e in reads}
    of |= also
    closed = False
    for _ in range(len(computed) + 2):
        result = Domains(of, closed=False)
        written = {e.id: result.values(e.value) for e in writes if e.value is not None}
        following = dict(of)
        for read in reads:
            assert read.location is not None
            sources = (written[w.id] for w in graph.accesses(read.location) if w.writes)
            following[read.id] = also[read.id].union(*sources)
            if len(following[read.id]) > MOST_VALUES:
                raise error(Code.TOO_LARGE, f"more than {MOST_VALUES} values may be read here", read.span)
        closed = following == of
        of = following
        if closed:
            break
    return Domains(of, closed)
