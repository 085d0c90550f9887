"""The final states of small litmus programs, by enumeration of their executions, under RC11 and the PTX model.

Written from the published axioms (Lahav et al., PLDI 2017; Lustig et al., ASPLOS 2019), not from scopec's models: sets of
pairs and nothing clever.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

Rel = set[tuple[int, int]]
#: The values of registers and locations by name.
State = tuple[tuple[str, int], ...]
LOCATIONS = ("x", "y")


@dataclass(frozen=True)
class Op:
    """An operation: ``load store add exchange cas fence``, or a ``proxy`` fence.  The order of a plain access is empty.

    A ``cas`` writes ``value`` where it finds ``expected``; ``then`` is executed where a load finds ``expected``; ``copies``
    is a store of what the load into ``register`` read; a ``load`` that ``divides`` by what it finds must not find 0.
    """

    kind: str
    location: str = ""
    order: str = ""
    scope: str = ""
    register: str = ""
    value: int = 0
    expected: int = 0
    failure: str = ""
    then: Op | None = None
    copies: bool = False
    divides: bool = False
    proxy: str = "generic"
    address: str = ""


@dataclass(frozen=True)
class Beside:
    """Operands that nothing orders, each operations one after the other."""

    operands: tuple[tuple[Item, ...], ...]


Item = Op | Beside


@dataclass(frozen=True)
class Event:
    """``R``, ``W``, ``F`` or a proxy fence ``P`` of a thread (-1: initial writes)."""

    kind: str
    location: str
    order: str
    scope: str
    value: int
    proxy: str
    address: str
    thread: int


@dataclass
class Candidate:
    """Events with program order, the halves of read-modify-writes, dependencies, and final registers.

    ``undefined``: some thread divides by zero, or changes a location and accesses it in no order.
    """

    events: list[Event] = field(default_factory=list)
    undefined: bool = False
    po: Rel = field(default_factory=set)
    rmw: Rel = field(default_factory=set)
    dep: Rel = field(default_factory=set)
    registers: dict[str, int] = field(default_factory=dict)

    def of(self, kind: str) -> list[int]:
        return [n for n, e in enumerate(self.events) if e.kind == kind]

    def same(self, a: int, b: int) -> bool:
        """Whether two events access one location."""
        return self.events[a].location == self.events[b].location != ""

    def same_path(self, a: int, b: int) -> bool:
        """Whether two events access one location by one virtual address, through one proxy."""
        one, other = self.events[a], self.events[b]
        return self.same(a, b) and (one.proxy, one.address) == (other.proxy, other.address)


# ---------------------------------------------------------------- relations


def then(a: Iterable[tuple[int, int]], b: Iterable[tuple[int, int]]) -> Rel:
    after: dict[int, list[int]] = {}
    for x, y in b:
        after.setdefault(x, []).append(y)
    return {(x, z) for x, y in a for z in after.get(y, ())}


def plus(relation: Iterable[tuple[int, int]]) -> Rel:
    whole = set(relation)
    while (more := whole | then(whole, whole)) != whole:
        whole = more
    return whole


def acyclic(relation: Iterable[tuple[int, int]]) -> bool:
    return all(a != b for a, b in plus(relation))


# ---------------------------------------------------------------- candidates


@dataclass(frozen=True)
class _Trace:
    """What a thread does with guessed values: events as (kind, location, order, scope, value, proxy, address)."""

    events: tuple[tuple[str, str, str, str, int, str, str], ...] = ()
    rmw: tuple[tuple[int, int], ...] = ()
    dep: tuple[tuple[int, int], ...] = ()
    registers: tuple[tuple[str, int], ...] = ()
    reads: tuple[tuple[str, int], ...] = ()
    unordered: frozenset[tuple[int, int]] = frozenset()
    faults: bool = False

    def more(self, op: Op, found: int | None, written: int | None, order: str) -> _Trace:
        at, events = len(self.events), list(self.events)
        registers, reads, rmw, dep = self.registers, self.reads, self.rmw, self.dep
        if found is not None:
            events.append(("R", op.location, order, op.scope, found, op.proxy, op.address))
            registers, reads = (*registers, (op.register, found)), (*reads, (op.register, at))
        if written is not None:
            events.append(("W", op.location, order, op.scope, written, op.proxy, op.address))
        if found is not None and written is not None:
            rmw = (*rmw, (at, at + 1))
            dep = (*dep, (at, at + 1)) if op.kind == "add" else dep
        elif op.copies:
            dep = (*dep, (dict(reads)[op.register], at))
        if op.kind in ("fence", "proxy"):
            events.append(("F" if op.kind == "fence" else "P", "", order, op.scope, 0, op.proxy, op.address))
        return replace(self, events=tuple(events), rmw=rmw, dep=dep, registers=registers, reads=reads)


def _traces(ops: Sequence[Item], domain: Sequence[int], done: _Trace) -> Iterator[_Trace]:
    """What operations do after what is done; nothing is done after one without a result."""
    if not ops or done.faults:
        yield done
        return
    op, *rest = ops
    if isinstance(op, Beside):
        for beside in _beside(op.operands, domain, done, ()):
            yield from _traces(rest, domain, beside)
    elif op.kind in ("fence", "proxy"):
        yield from _traces(rest, domain, done.more(op, None, None, op.order))
    elif op.kind == "store":
        value = dict(done.registers)[op.register] if op.copies else op.value
        yield from _traces(rest, domain, done.more(op, None, value, op.order))
    else:
        for found in domain:
            written, order, following = None, op.order, rest
            if op.kind == "add":
                written = found + op.value
            elif op.kind == "exchange" or (op.kind == "cas" and found == op.expected):
                written = op.value
            elif op.kind == "cas":
                order = op.failure
            elif op.then is not None and found == op.expected:
                following = [op.then, *rest]
            after = done.more(op, found, written, order)
            yield from _traces(following, domain, replace(after, faults=op.divides and found == 0))


def _beside(
    operands: Sequence[Sequence[Item]], domain: Sequence[int], done: _Trace, before: tuple[range, ...]
) -> Iterator[_Trace]:
    """Operands, each evaluated whatever becomes of the others; ``before`` are the events of those that are done."""
    if not operands:
        apart = {pair for a, b in itertools.combinations(before, 2) for pair in itertools.product(a, b)}
        yield replace(done, unordered=done.unordered | apart)
        return
    first, *others = operands
    for after in _traces(first, domain, replace(done, faults=False)):
        whole = replace(after, faults=after.faults or done.faults)
        yield from _beside(others, domain, whole, (*before, range(len(done.events), len(after.events))))


def candidates(threads: Sequence[Sequence[Item]], domain: Sequence[int]) -> Iterator[tuple[Candidate, Rel]]:
    """Every combination of paths and reads-from in which reads return what was written."""
    for traces in itertools.product(*(list(_traces(ops, domain, _Trace())) for ops in threads)):
        c = Candidate([Event("W", location, "", "", 0, "generic", "", -1) for location in LOCATIONS])
        for number, trace in enumerate(traces):
            base = len(c.events)
            c.events += [Event(*parts, number) for parts in trace.events]
            apart = {(a + base, b + base) for a, b in trace.unordered}
            c.po |= set(itertools.combinations(range(base, len(c.events)), 2)) - apart
            c.undefined |= trace.faults or any(
                c.same(a, b)
                and "W" in (c.events[a].kind, c.events[b].kind)
                and c.events[a].order == c.events[b].order == ""
                for a, b in apart
            )
            c.rmw |= {(a + base, b + base) for a, b in trace.rmw}
            c.dep |= {(a + base, b + base) for a, b in trace.dep}
            c.registers |= {f"{number}:{register}": value for register, value in trace.registers}
        reads, writes = c.of("R"), c.of("W")
        sources = [
            [
                w
                for w in writes
                if c.same(w, r)
                and c.events[w].value == c.events[r].value
                and not ((r, w) in c.po and c.same_path(w, r))
            ]
            for r in reads
        ]
        for chosen in itertools.product(*sources):
            yield c, set(zip(chosen, reads, strict=True))


def from_reads(rf: Rel, co: Rel) -> Rel:
    return {(r, later) for w, r in rf for earlier, later in co if earlier == w}


def final(c: Candidate, last: Iterable[int]) -> State:
    return tuple(sorted({**c.registers, **{c.events[w].location: c.events[w].value for w in last}}.items()))


# ---------------------------------------------------------------- RC11


def rc11(threads: Sequence[Sequence[Item]], domain: Sequence[int]) -> tuple[dict[State, tuple[int, bool]], bool]:
    """The final states, the number of executions of each, and whether one of them races.

    Those of executions that do nothing undefined; whether there is one that does.
    """
    found: dict[State, tuple[int, bool]] = {}
    undefined = False
    for c, rf in candidates(threads, domain):
        initial = len(LOCATIONS)
        po = c.po | {(i, n) for i in range(initial) for n in range(initial, len(c.events))}
        if not acyclic(po | rf) or (c.undefined and undefined):
            continue
        orders = [itertools.permutations(w for w in c.of("W")[initial:] if c.same(w, i)) for i in range(initial)]
        for chosen in itertools.product(*orders):
            chains = [(i, *order) for i, order in enumerate(chosen)]
            co = {pair for chain in chains for pair in itertools.combinations(chain, 2)}
            hb = _rc11_happens_before(c, po, rf)
            if not _rc11_consistent(c, po, rf, co, hb):
                continue
            if c.undefined:
                undefined = True
            else:
                state = final(c, [chain[-1] for chain in chains])
                number, racy = found.get(state, (0, False))
                found[state] = number + 1, racy or _rc11_race(c, hb)
    return found, undefined


def _rc11_happens_before(c: Candidate, po: Rel, rf: Rel) -> Rel:
    def acquires(n: int) -> bool:
        return c.events[n].order in ("acquire", "acq_rel", "seq_cst")

    def releases(n: int) -> bool:
        return c.events[n].order in ("release", "acq_rel", "seq_cst")

    def atomic(n: int) -> bool:
        return c.events[n].order != ""

    writes, fences = c.of("W"), c.of("F")
    relays = plus(then(rf, c.rmw)) | {(w, w) for w in writes}
    heads = {(w, v) for w in writes for v in writes if atomic(v) and (w == v or ((w, v) in po and c.same(w, v)))}
    sequence = then(heads, relays)
    starts = {(w, w) for w in writes if releases(w)} | {
        (f, w) for f in fences for w in writes if releases(f) and (f, w) in po
    }
    reads = c.of("R")
    ends = {(r, r) for r in reads if acquires(r)} | {
        (r, f) for f in fences for r in reads if acquires(f) and (r, f) in po
    }
    observed = {(w, r) for w, r in rf if atomic(r)}
    ends = {(r, e) for r, e in ends if atomic(r)}
    return plus(po | then(then(then(starts, sequence), observed), ends))


def _rc11_consistent(c: Candidate, po: Rel, rf: Rel, co: Rel, hb: Rel) -> bool:
    fr = from_reads(rf, co)
    eco = plus(rf | co | fr)
    if c.rmw & then(fr, co) or not acyclic(hb) or any((b, a) in hb for a, b in eco):
        return False
    elsewhere = {(a, b) for a, b in po if not c.same(a, b)}
    scb = po | then(then(elsewhere, hb), elsewhere) | {(a, b) for a, b in hb if c.same(a, b)} | co | fr
    ordered = [n for n, e in enumerate(c.events) if e.order == "seq_cst"]
    fences = [n for n in ordered if c.events[n].kind == "F"]
    left = {(n, n) for n in ordered} | {(a, b) for a, b in hb if a in fences}
    right = {(n, n) for n in ordered} | {(a, b) for a, b in hb if b in fences}
    between = {(a, b) for a, b in hb | then(then(hb, eco), hb) if a in fences and b in fences}
    return acyclic(then(then(left, scb), right) | between)


def _rc11_race(c: Candidate, hb: Rel) -> bool:
    return any(
        a.thread != b.thread and min(a.thread, b.thread) >= 0 and c.same(m, n) and "W" in (a.kind, b.kind)
        and "" in (a.order, b.order) and (m, n) not in hb and (n, m) not in hb
        for (m, a), (n, b) in itertools.combinations(enumerate(c.events), 2)
    )  # fmt: skip


# ---------------------------------------------------------------- PTX


def early(ops: Sequence[Op]) -> list[Op]:
    """A thread as ptxas may make it: each weak load as early as it gets.

    It is moved ahead of loads that do not acquire, and of stores to other locations that do not release.
    """
    done: list[Op] = []
    for op in ops:
        at = len(done)
        if op.kind == "load" and not op.order:
            while at and _is_passed(done[at - 1], op.location):
                at -= 1
        done.insert(at, op)
    return done


def _is_passed(op: Op, location: str) -> bool:
    if op.kind == "load":
        return op.order in ("", "relaxed")
    return op.kind == "store" and op.order in ("", "relaxed") and op.location != location


def ptx(threads: Sequence[Sequence[Op]], places: Sequence[tuple[int, int]], domain: Sequence[int]) -> dict[State, bool]:
    """The final states, and whether an execution of each races; ``places`` are the block and the device of each thread.

    Weak accesses have no order.
    """
    found: dict[State, bool] = {}
    for c, rf in candidates(threads, domain):
        if not acyclic(rf | c.dep):
            continue
        ms = _morally_strong(c, places)
        sync = _synchronizes(c, rf, ms)
        fences = [f for f in c.of("F") if c.events[f].order == "sc"]
        pairs = [p for p in itertools.combinations(fences, 2) if p in ms]
        for turned in itertools.product((False, True), repeat=len(pairs)):
            fence_order = plus((b, a) if turn else (a, b) for (a, b), turn in zip(pairs, turned, strict=True))
            cause = _causes(c, rf, ms, sync | fence_order)
            if acyclic(fence_order) and not any((b, a) in cause for a, b in fence_order | rf):
                for co in partial_orders(c):
                    if _ptx_consistent(c, rf, co, ms, cause):
                        last = [
                            [w for w in c.of("W") if c.same(w, i) and not any(a == w for a, _ in co)] for i in (0, 1)
                        ]
                        racy = _ptx_race(c, ms, cause)
                        for state in (final(c, chosen) for chosen in itertools.product(*last)):
                            found[state] = found.get(state, False) or racy
    return found


def _morally_strong(c: Candidate, places: Sequence[tuple[int, int]]) -> Rel:
    def includes(a: Event, b: Event) -> bool:
        here, there = places[a.thread], places[b.thread]
        same = {"cta": here == there, "gpu": here[1] == there[1], "sys": True}
        return a.thread == b.thread or same[a.scope]

    found: Rel = set()
    for (m, a), (n, b) in itertools.permutations(enumerate(c.events), 2):
        overlap = "F" in (a.kind, b.kind) or c.same(m, n)
        strong = a.order != "" != b.order and includes(a, b) and includes(b, a)
        if overlap and min(a.thread, b.thread) >= 0 and ((m, n) in c.po or (n, m) in c.po or strong):
            found.add((m, n))
    return found


def _synchronizes(c: Candidate, rf: Rel, ms: Rel) -> Rel:
    strong = {n for n, e in enumerate(c.events) if e.order}
    reads, writes = [n for n in c.of("R") if n in strong], [n for n in c.of("W") if n in strong]
    near = {(a, b) for a, b in c.po if c.same(a, b)} | {(n, n) for n in strong}
    release = {(w, v) for w, v in near if {w, v} <= set(writes) and c.events[w].order in ("release", "acq_rel")}
    acquire = {(r, q) for r, q in near if {r, q} <= set(reads) and c.events[q].order in ("acquire", "acq_rel")}
    fences = [(f, c.events[f].order) for f in c.of("F")]
    release |= {(f, w) for f, order in fences for w in writes if order != "acquire" and (f, w) in c.po}
    acquire |= {(r, f) for f, order in fences for r in reads if order != "release" and (r, f) in c.po}
    return then(then(release, _observation(c, rf, ms)), acquire) & ms


def _observation(c: Candidate, rf: Rel, ms: Rel) -> Rel:
    seen = rf & ms
    return seen | then(seen, plus(then(c.rmw, seen)))


def _causes(c: Candidate, rf: Rel, ms: Rel, synchronized: Rel) -> Rel:
    every = range(len(c.events))
    core = synchronized | {(i, n) for i in (0, 1) for n in every if n > 1}
    around = c.po | {(n, n) for n in every}
    base = plus(then(then(around, core), around))
    return base | then(_observation(c, rf, ms), base | {(a, b) for a, b in c.po if c.same(a, b)})


def _ptx_race(c: Candidate, ms: Rel, cause: Rel) -> bool:
    """Overlapping operations, one of them a write, unrelated in causality order and not morally strong."""
    return any(
        c.same(m, n) and "W" in (a.kind, b.kind) and not {(m, n), (n, m)} & (cause | ms)
        for (m, a), (n, b) in itertools.combinations(enumerate(c.events), 2)
    )


def partial_orders(c: Candidate) -> Iterator[Rel]:
    """Coherence orders: strict partial orders of the writes of each location, after the initial one."""
    writes = c.of("W")[len(LOCATIONS) :]
    first = {(i, w) for i in range(len(LOCATIONS)) for w in writes if c.same(i, w)}
    pairs = [p for p in itertools.combinations(writes, 2) if c.same(*p)]
    for sides in itertools.product((None, False, True), repeat=len(pairs)):
        co = first | {(b, a) if s else (a, b) for (a, b), s in zip(pairs, sides, strict=True) if s is not None}
        if plus(co) == co and acyclic(co):
            yield co


def _ptx_consistent(c: Candidate, rf: Rel, co: Rel, ms: Rel, cause: Rel) -> bool:
    fr = from_reads(rf, co)
    writes = set(c.of("W"))
    return (
        all((a, b) in co or (b, a) in co for a, b in ms if {a, b} <= writes)
        and all((a, b) in co for a, b in cause if {a, b} <= writes and c.same(a, b))
        and not c.rmw & then(fr & ms, co & ms)
        and acyclic((rf | co | fr) & ms | {(a, b) for a, b in c.po if c.same(a, b)})
        and not any((b, a) in cause for a, b in fr)
    )
