"""The final states of small C programs under C11, by enumeration of their executions.

Written from Batty, Donaldson and Wickerson, "Overhauling SC Atomics in C11 and OpenCL", POPL 2016, not from scopec's models:
a read-modify-write is one event, the order of sequentially consistent operations is a permutation that is tried, and
coherence orders atomic writes alone.  Sets of pairs and nothing clever.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.oracles.enumerated import LOCATIONS, Op, Rel, State, acyclic, plus, then

#: The original rules of the order of SC operations, the partial order of section 3.1, the simple one of section 3.2.
Rules = Literal["original", "partial", "simple"]
#: One location more than the random programs have.
PLACES = (*LOCATIONS, "f")
INITIAL = len(PLACES)


@dataclass(frozen=True)
class Event:
    """What a thread does to a location (-1: initial writes): ``read`` or ``written`` is None where it does not."""

    thread: int
    order: str
    location: str = ""
    read: int | None = None
    written: int | None = None

    @property
    def fence(self) -> bool:
        return self.location == ""

    @property
    def atomic(self) -> bool:
        return self.order != "" and not self.fence


@dataclass
class Candidate:
    """Events with program order and final registers."""

    events: list[Event] = field(default_factory=list)
    sb: Rel = field(default_factory=set)
    registers: dict[str, int] = field(default_factory=dict)

    def same(self, a: int, b: int) -> bool:
        return self.events[a].location == self.events[b].location != ""

    def at(self, condition: str) -> set[int]:
        """The events that are ``read``, ``written``, ``atomic``, ``fence`` or ``sc``."""
        tests = {
            "read": lambda e: e.read is not None,
            "written": lambda e: e.written is not None,
            "atomic": lambda e: e.atomic,
            "fence": lambda e: e.fence,
            "sc": lambda e: e.order == "seq_cst",
        }
        return {n for n, e in enumerate(self.events) if tests[condition](e)}


def irreflexive(relation: Iterable[tuple[int, int]]) -> bool:
    return all(a != b for a, b in relation)


def maybe(relation: Rel, every: Iterable[int]) -> Rel:
    """The relation, or nothing."""
    return relation | {(n, n) for n in every}


def back(relation: Rel) -> Rel:
    return {(b, a) for a, b in relation}


Trace = tuple[tuple[Event, ...], tuple[tuple[str, int], ...]]


def traces(thread: int, ops: Sequence[Op], domain: Sequence[int], done: Trace = ((), ())) -> Iterator[Trace]:
    """What a thread does, whatever its reads return."""
    if not ops:
        yield done
        return
    (op, *rest), (events, registers) = ops, done
    if op.kind in ("fence", "store"):
        written = op.value if op.kind == "store" else None
        event = Event(thread, op.order, op.location, None, written)
        yield from traces(thread, rest, domain, ((*events, event), registers))
        return
    for found in domain:
        order, following, written = op.order, rest, None
        if op.kind == "add":
            written = found + op.value
        elif op.kind == "exchange" or (op.kind == "cas" and found == op.expected):
            written = op.value
        elif op.kind == "cas":
            order = op.failure
        elif op.then is not None and found == op.expected:
            following = [op.then, *rest]
        event = Event(thread, order, op.location, found, written)
        own = (*registers, (f"{thread}:{op.register}", found))
        yield from traces(thread, following, domain, ((*events, event), own))


def candidates(threads: Sequence[Sequence[Op]], domain: Sequence[int]) -> Iterator[tuple[Candidate, Rel]]:
    """Every combination of paths and reads-from in which reads return what was written."""
    for chosen in itertools.product(*(list(traces(n, ops, domain)) for n, ops in enumerate(threads))):
        c = Candidate([Event(-1, "", location, None, 0) for location in PLACES])
        for events, registers in chosen:
            first = len(c.events)
            c.events += events
            c.sb |= set(itertools.combinations(range(first, len(c.events)), 2))
            c.registers |= dict(registers)
        reads = sorted(c.at("read"))
        sources = [
            [w for w in c.at("written") if c.same(w, r) and c.events[w].written == c.events[r].read] for r in reads
        ]
        for origin in itertools.product(*sources):
            yield c, set(zip(origin, reads, strict=True))


def c11(threads: Sequence[Sequence[Op]], domain: Sequence[int], rules: Rules) -> dict[State, bool]:
    """The final states, and whether an execution of each races."""
    found: dict[State, bool] = {}
    for c, rf in candidates(threads, domain):
        atomic = [[w for w in sorted(c.at("written") & c.at("atomic")) if c.same(w, i)] for i in range(INITIAL)]
        for orders in itertools.product(*(itertools.permutations(writes) for writes in atomic)):
            mo = {pair for i, order in enumerate(orders) for pair in itertools.combinations((i, *order), 2)}
            hb = _happens_before(c, rf, mo)
            if not _consistent(c, rf, mo, hb) or not _sequential(c, rf, mo, hb, rules):
                continue
            for last in itertools.product(*(_last(c, i, order, hb) for i, order in enumerate(orders))):
                values = {**c.registers, **{c.events[w].location: c.events[w].written for w in last}}
                state = tuple(sorted((name, value) for name, value in values.items() if value is not None))
                found[state] = found.get(state, False) or _race(c, hb)
    return found


def _last(c: Candidate, initial: int, order: Sequence[int], hb: Rel) -> list[int]:
    """The writes that may be the last at a location: the last atomic one, or a plain one that none is known to follow."""
    plain = {w for w in c.at("written") - c.at("atomic") if c.same(w, initial) and w >= INITIAL}
    ended = [order[-1]] if order else [] if plain else [initial]
    return ended + [w for w in plain if not any((w, v) in hb and c.same(w, v) for v in c.at("written"))]


def _happens_before(c: Candidate, rf: Rel, mo: Rel) -> Rel:
    every = range(len(c.events))
    reads, writes, atomic, fences = c.at("read"), c.at("written"), c.at("atomic"), c.at("fence")

    def continues(a: int, b: int) -> bool:
        return c.events[a].thread == c.events[b].thread or (b in reads and b in writes)

    broken = then({(a, b) for a, b in mo if not continues(a, b)}, mo)
    sequence = {(a, b) for a, b in mo if continues(a, b)} - broken
    releases = {n for n in writes | fences if c.events[n].order in ("release", "acq_rel", "seq_cst")}
    acquires = {n for n in reads | fences if c.events[n].order in ("acquire", "acq_rel", "seq_cst")}
    before = maybe({(f, n) for f, n in c.sb if f in fences}, every)
    behind = maybe({(n, f) for n, f in c.sb if f in fences}, every)
    start = {(a, w) for a, w in before if a in releases and w in writes & atomic}
    end = {(r, b) for r, b in behind if r in reads & atomic and b in acquires}
    seen = then(then(start, maybe(sequence, every)), rf)
    sw = {(a, b) for a, b in then(seen, end) if c.events[a].thread != c.events[b].thread}
    return plus(c.sb | sw | {(i, n) for i in range(INITIAL) for n in every if n >= INITIAL})


def _consistent(c: Candidate, rf: Rel, mo: Rel, hb: Rel) -> bool:
    every, writes = range(len(c.events)), c.at("written")
    at_place = {(a, b) for a, b in hb if c.same(a, b)}
    hidden = then({(a, b) for a, b in at_place if b in writes}, at_place)
    plain = {(w, r) for w, r in rf if r not in c.at("atomic")}
    return (
        irreflexive(hb)
        and irreflexive(then(then(then(maybe(back(rf), every), mo), maybe(rf, every)), hb))
        and irreflexive(then(rf, hb))
        and plain <= at_place - hidden
        and irreflexive(rf)
        and irreflexive(then(then(mo, mo), back(rf)))
        and irreflexive(then(mo, rf))
    )


def _sequential(c: Candidate, rf: Rel, mo: Rel, hb: Rel, rules: Rules) -> bool:
    every, sc, writes, fences = range(len(c.events)), c.at("sc"), c.at("written"), c.at("fence")
    fr = {(a, b) for a, b in then(back(rf), mo) if a != b}
    before = {(f, n) for f, n in c.sb if f in fences}
    behind = {(n, f) for n, f in c.sb if f in fences}
    around = then(then(maybe(before, every), mo), maybe(behind, every))
    overtaken = then({(r, w) for w, r in rf if w in sc}, mo)
    later = {(r, v) for r, v in then(back(rf), {(a, b) for a, b in hb if c.same(a, b)}) if v in writes}
    fenced = then(before, fr) | then(fr, behind) | then(then(before, fr), behind)
    if rules != "original":
        if rules == "simple":
            wrong = then(then(maybe(before, every), mo | fr | hb), maybe(behind, every))
        else:
            wrong = hb | around | overtaken | later | fenced
        return acyclic({(a, b) for a, b in wrong if {a, b} <= sc and a != b})
    for order in itertools.permutations(sorted(sc)):
        s = set(itertools.combinations(order, 2))
        if any((b, a) in s for a, b in hb):
            continue
        at_once = s - then(mo, s)
        if all(irreflexive(then(s, r)) for r in (around, overtaken, fenced)) and irreflexive(then(at_once, later)):
            return True
    return False


def _race(c: Candidate, hb: Rel) -> bool:
    writes, atomic = c.at("written"), c.at("atomic")
    return any(
        c.same(a, b) and {a, b} & writes and not {a, b} <= atomic
        and c.events[a].thread != c.events[b].thread and (a, b) not in hb and (b, a) not in hb
        for a, b in itertools.combinations(range(INITIAL, len(c.events)), 2)
    )  # fmt: skip
