"""A brute-force checker for the scoped memory model of CUDA C++: small, slow, and meant to be obviously right.

Written only from NVIDIA's "Memory model" page ("the document": v1, v2, v3) and from the section "CUDA" of
design/memory-models.md ("the note").  Where the two leave something open the choice is marked CHOICE.

How executions are built (`candidates`):
 1. `value_domain` computes, per location, a finite set of values that a read of it may return;
 2. `thread_runs` runs every thread alone, in order, each read returning every value of the domain in turn;
 3. every combination of one run a thread gives the executed events; every read then picks, in every possible way, a
    write to its location with its value that is not the write of its own operation;
 4. every permutation of the writes to each location, the initial write first, is a coherence order.
Guessing values and then asking for a write with that value finds exactly the assignments in which the values are
consistent, cyclic (out of thin air) ones included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations, product

from tests.oracles.brute_programs import (
    GIVEN,
    OPTIONS,
    ORDERS,
    SCOPES,
    Candidate,
    Cas,
    Event,
    EventId,
    Execution,
    Fence,
    FetchAdd,
    Load,
    Op,
    Program,
    Race,
    Rel,
    Run,
    Store,
    Value,
)
from tests.oracles.brute_relations import (
    acyclic,
    closure,
    compose,
    identity,
    inclusion,
    inverse,
    irreflexive,
    is_atomic,
    sequence,
)

# ---------------------------------------------------------------- building candidates


def evaluate(value: Value, registers: Mapping[str, int]) -> int:
    if isinstance(value, int):
        return value
    name, addend = (value, 0) if isinstance(value, str) else (value[1], value[2])
    if name not in registers:
        raise ValueError(f"register {name} is used but was never assigned")
    return registers[name] + addend  # mathematical integers, nothing wraps


def acquire_half(order: str) -> str:
    """The note: "the read carries the acquire half of the order, the write the release half, seq_cst both"."""
    return {"acquire": "acquire", "acq_rel": "acquire", "seq_cst": "seq_cst"}.get(order, "relaxed")


def release_half(order: str) -> str:
    return {"release": "release", "acq_rel": "release", "seq_cst": "seq_cst"}.get(order, "relaxed")


def thread_runs(program: Program, t: int, domain: Mapping[str, set[int]], atomic: Mapping[Op, bool]) -> list[Run]:
    runs = [Run((), (), {})]
    for i, op in enumerate(program.threads[t].ops):
        longer: list[Run] = []
        for run in runs:
            # A guard holds when its register has been assigned by an executed operation and has the value.
            if op.guard is not None and run.registers.get(op.guard[0]) != op.guard[1]:
                longer.append(run)
            else:
                longer.extend(one_step(run, t, i, op, domain, atomic[op]))
        runs = longer
    return runs


def one_step(run: Run, t: int, i: int, op: Op, domain: Mapping[str, set[int]], in_A: bool) -> Iterator[Run]:
    """The run, continued by operation i: once for each value that its read may return."""
    regs = run.registers
    if isinstance(op, Fence):
        yield Run((*run.events, Event("F", t, i, None, 0, op.order, op.scope, False)), run.rmw, regs)
        return
    scope = "thread" if op.order is None else op.scope
    if isinstance(op, Store):
        written = evaluate(op.value, regs)
        yield Run((*run.events, Event("W", t, i, op.loc, written, op.order, scope, in_A)), run.rmw, regs)
        return
    for old in sorted(domain[op.loc]):
        if isinstance(op, Load):
            read = Event("R", t, i, op.loc, old, op.order, scope, in_A)
            yield Run((*run.events, read), run.rmw, {**regs, op.reg: old})
            continue
        if isinstance(op, Cas):
            if old != evaluate(op.expected, regs):  # "a failed compare-exchange is the read alone"
                read = Event("R", t, i, op.loc, old, op.failure_order, scope, in_A)
                yield Run((*run.events, read), run.rmw, {**regs, op.reg_old: old})
                continue
            new, register = evaluate(op.desired, regs), op.reg_old
        elif isinstance(op, FetchAdd):
            new, register = old + evaluate(op.operand, regs), op.reg
        else:
            new, register = evaluate(op.value, regs), op.reg
        read = Event("R", t, i, op.loc, old, acquire_half(op.order), scope, in_A)
        write = Event("W", t, i, op.loc, new, release_half(op.order), scope, in_A)
        yield Run((*run.events, read, write), (*run.rmw, (read, write)), {**regs, register: old})


def constants(program: Program) -> set[int]:
    found = {loc.initial for loc in program.locations.values()}
    for op in (op for thread in program.threads for op in thread.ops):
        for field in ("value", "operand", "expected", "desired"):
            value = getattr(op, field, None)
            if isinstance(value, int):
                found.add(value)
            if isinstance(value, tuple):
                found.add(value[2])
        if op.guard is not None:
            found.add(op.guard[1])
    return found


def value_domain(
    program: Program, options: Mapping[str, str], values: Iterable[int], atomic: Mapping[Op, bool]
) -> dict[str, set[int]]:
    """Per location, the values that a read of it may return.

    thin_air=rc11: every value comes from the initial values through at most as many writes as the program has, because
    an operation executes at most once and po | rf is acyclic; so that many rounds find all of them.
    thin_air=off: values may also come from nowhere.  CHOICE: any location may hold any constant of the program, any
    initial value, any of `values` (those that only a question mentions), and what as many rounds make of them.
    """
    domain = {name: {loc.initial} for name, loc in program.locations.items()}
    if options["thin_air"] == "off":
        for name in domain:
            domain[name] |= constants(program) | set(values)
    for _ in [op for thread in program.threads for op in thread.ops if not isinstance(op, Load | Fence)]:
        runs = [run for t in range(len(program.threads)) for run in thread_runs(program, t, domain, atomic)]
        for e in (e for run in runs for e in run.events):
            if e.kind == "W" and e.loc is not None:
                domain[e.loc].add(e.value)
    return domain


def candidates(program: Program, runs_of: Iterable[Iterable[Run]]) -> Iterator[Candidate]:
    """Every execution, consistent or not, in which each thread does one of its runs."""
    initial = tuple(
        Event("W", -1, name, name, loc.initial, None, "thread", False) for name, loc in program.locations.items()
    )
    for runs in product(*runs_of):
        events = initial + tuple(e for run in runs for e in run.events)
        reads = [e for e in events if e.kind == "R"]
        writes = [e for e in events if e.kind == "W"]
        sources = [
            [w for w in writes if w.loc == r.loc and w.value == r.value and (w.thread, w.op) != (r.thread, r.op)]
            for r in reads
        ]
        # sequenced before: transitive, within a thread, the two halves of an RMW in their order
        po = {(e, f) for run in runs for n, e in enumerate(run.events) for f in run.events[n + 1 :]}
        rmw = {pair for run in runs for pair in run.rmw}
        orders = [
            [(first, *rest) for rest in permutations(w for w in writes if w.loc == first.loc and w is not first)]
            for first in initial
        ]
        for chosen in product(*sources):
            rf = set(zip(chosen, reads, strict=True))
            for order in product(*orders):
                co = {(v, w) for line in order for n, v in enumerate(line) for w in line[n + 1 :]}
                co_orders = {str(line[0].loc): line for line in order}
                yield Candidate(program, events, po, rf, co, rmw, tuple(run.registers for run in runs), co_orders)


# ---------------------------------------------------------------- derived relations (the note, "CUDA")


def is_acquire(e: Event) -> bool:
    return e.kind in "RF" and e.order in ("acquire", "acq_rel", "seq_cst")


def is_release(e: Event) -> bool:
    return e.kind in "WF" and e.order in ("release", "acq_rel", "seq_cst")


def from_reads(c: Candidate) -> Rel:
    """fr = (rf^-1 ; co) \\ id"""
    return {(r, w) for r, w in compose(inverse(c.rf), c.co) if r is not w}


def extended_coherence(c: Candidate) -> Rel:
    """eco = (rf | co | fr)+"""
    return closure(c.rf | c.co | from_reads(c))


def release_sequences(c: Candidate, incl: Rel, options: Mapping[str, str]) -> Rel:
    """rs: from a head to each write of the release sequence that it heads, or would head, itself included."""
    heads = [w for w in c.events if w.kind == "W" and w.in_A]
    # release_sequence_scope=every_step: "every rf step" of the sequence must be inclusive
    step = c.rf & incl if options["release_sequence_scope"] == "every_step" else c.rf
    if options["release_sequence"] == "c++20":
        # rs = [W & A] ; (rf ; rmw)*
        return identity(heads) | compose(identity(heads), closure(compose(step, c.rmw)))
    # C++11: "a maximal contiguous sub-sequence of side effects in the modification order of M, where the first
    # operation is A, and every subsequent operation is performed by the same thread that performed A, or is an atomic
    # read-modify-write operation"
    # CHOICE: with every_step an RMW of another thread that is not reached by an inclusive rf step ends the sequence.
    stepped = {w for _, w in compose(step, c.rmw)}
    rs: Rel = set()
    for head in heads:
        line = c.co_orders[str(head.loc)]
        rs.add((head, head))
        for w in line[line.index(head) + 1 :]:
            if w.thread != head.thread and w not in stepped:
                break
            rs.add((head, w))
    return rs


def synchronizes_with(c: Candidate, incl: Rel, options: Mapping[str, str]) -> Rel:
    """sw = incl & (rel ; (incl & (rs ; rf ; [A])) ; acq): the document, "Modify atomics.fences paragraph 2 through 4",
    "each operation (A, B, X, and Y) specifies a scope that includes the thread that performed each other operation"."""
    release_writes = identity(e for e in c.events if e.kind == "W" and is_release(e))
    release_fences = identity(e for e in c.events if e.kind == "F" and is_release(e))
    acquire_reads = identity(e for e in c.events if e.kind == "R" and is_acquire(e))
    acquire_fences = identity(e for e in c.events if e.kind == "F" and is_acquire(e))
    atomic_writes = identity(e for e in c.events if e.kind == "W" and e.in_A)
    atomic_reads = identity(e for e in c.events if e.kind == "R" and e.in_A)
    rel = release_writes | sequence(release_fences, c.po, atomic_writes)
    acq = acquire_reads | sequence(atomic_reads, c.po, acquire_fences)
    last = c.rf & incl if options["release_sequence_scope"] == "every_step" else c.rf
    observed = sequence(release_sequences(c, incl, options), last, atomic_reads)
    sw = incl & sequence(rel, incl & observed, acq)
    if options["sync_scope"] == "literal":
        # "[atomics.order] is not amended in any version, so read literally it carries no scope": a release operation
        # and an acquire operation, no fence.  CHOICE: every_step still restricts the rf steps between them.
        sw |= sequence(release_writes, observed, acquire_reads)
    return sw


def initial_before_all(c: Candidate) -> Rel:
    """asw: from each initial write to every event of a thread."""
    return {(a, b) for a in c.events for b in c.events if a.thread == -1 and b.thread >= 0}


def happens_before(c: Candidate, sw: Rel) -> Rel:
    """hb = (po | asw | sw)+"""
    return closure(c.po | initial_before_all(c) | sw)


def sc_before_cpp20(c: Candidate, sw: Rel, hb: Rel, eco: Rel) -> Rel:
    """S = [SC];shb;[SC] | ([SC] | [SC & F];hb) ; eco ; ([SC] | hb;[SC & F])
    with shb = (po | asw | [SC];sw;[SC] | po;hb;po)+

    CHOICE, against the letter of the note: the two po around hb are po \\ rmw.  C++20 [intro.races]: A strongly happens
    before D if "there are evaluations B and C such that A is sequenced before B, B simply happens before C, and C is
    sequenced before D".  An RMW is one operation there; taking its read as C and its write as D would turn every hb
    into an RMW into shb, and forbid the very example (P0668, Z6.U) for which the rule was written."""
    sc = identity(e for e in c.events if e.order == "seq_cst")
    sc_fences = identity(e for e in c.events if e.order == "seq_cst" and e.kind == "F")
    between = c.po - c.rmw
    shb = closure(c.po | initial_before_all(c) | sequence(sc, sw, sc) | sequence(between, hb, between))
    left = sc | compose(sc_fences, hb)
    right = sc | compose(hb, sc_fences)
    return sequence(sc, shb, sc) | sequence(left, eco, right)


def sc_before_rc11(c: Candidate, hb: Rel, eco: Rel) -> Rel:
    """psc of RC11 (Lahav et al., PLDI 2017), with its own scb = po | po\\loc;hb;po\\loc | hb&loc | co | fr:
    psc_base = ([SC] | [SC & F];hb?) ; scb ; ([SC] | hb?;[SC & F]),  psc_F = [SC & F] ; (hb | hb;eco;hb) ; [SC & F]"""
    sc = identity(e for e in c.events if e.order == "seq_cst")
    sc_fences = identity(e for e in c.events if e.order == "seq_cst" and e.kind == "F")
    same_loc = {(a, b) for a in c.events for b in c.events if a.loc is not None and a.loc == b.loc}
    po_other = c.po - same_loc
    scb = c.po | sequence(po_other, hb, po_other) | (hb & same_loc) | c.co | from_reads(c)
    left = sc | compose(sc_fences, hb)
    right = sc | compose(hb, sc_fences)
    return sequence(left, scb, right) | sequence(sc_fences, hb | sequence(hb, eco, hb), sc_fences)


# ---------------------------------------------------------------- axioms


def coherence(hb: Rel, eco: Rel) -> bool:
    """irreflexive hb ; eco?"""
    return irreflexive(hb) and irreflexive(compose(hb, eco))


def atomicity(c: Candidate) -> bool:
    """empty rmw & (fr ; co)"""
    return not c.rmw & compose(from_reads(c), c.co)


def no_thin_air(c: Candidate) -> bool:
    """acyclic po | rf"""
    return acyclic(c.po | c.rf)


def seq_cst(before: Rel, incl: Rel, options: Mapping[str, str]) -> bool:
    """acyclic incl & S; sc_scope=global: acyclic S"""
    return acyclic(before & incl if options["sc_scope"] == "scoped" else before)


def race_pairs(c: Candidate, hb: Rel, incl: Rel) -> frozenset[Race]:
    """race = conflict \\ hb \\ hb^-1 \\ (incl & (A * A)): the document, "Data Races": "two potentially concurrent
    conflicting actions, at least one of which is not atomic at a scope that includes the thread that performed the
    other operation, and neither happens before the other".
    conflict = loc & ext & ((W*M) | (M*W)), initial writes left out."""
    accesses = [e for e in c.events if e.kind in "RW" and e.thread >= 0]
    found = set()
    for a, b in product(accesses, accesses):
        if a.thread == b.thread or a.loc != b.loc or "W" not in (a.kind, b.kind):
            continue
        if (a, b) in hb or (b, a) in hb:
            continue
        if a.in_A and b.in_A and (a, b) in incl:
            continue
        found.add(frozenset({(a.thread, int(a.op)), (b.thread, int(b.op))}))
    return frozenset(found)


# ---------------------------------------------------------------- the two entry points


def check_input(program: Program, version: int) -> None:
    if version not in (1, 2, 3):
        raise ValueError(f"unknown version {version}")
    for op in (op for thread in program.threads for op in thread.ops):
        if op.order not in ORDERS[type(op)] or op.scope not in SCOPES:
            raise ValueError(f"bad order or scope: {op}")
        if isinstance(op, Cas) and op.failure_order not in ("relaxed", "acquire", "seq_cst"):
            raise ValueError(f"bad failure order: {op}")


def with_defaults(defaults: Mapping[str, str | int], chosen: Mapping[str, str | int] | None) -> dict[str, str | int]:
    unknown = set(chosen or {}) - set(defaults)
    if unknown:
        raise ValueError(f"unknown: {sorted(unknown)}")
    return {**defaults, **(chosen or {})}


def event_id(e: Event) -> EventId:
    return e.thread, e.op


def enumerate_executions(
    program: Program,
    options: Mapping[str, str] | None = None,
    version: int = 3,
    given: Mapping[str, int] | None = None,
    values: Iterable[int] = (),
) -> Iterator[Execution]:
    """Every consistent execution.  `values`: values that only a question mentions, see `value_domain`."""
    check_input(program, version)
    opts = {k: str(v) for k, v in with_defaults({k: v[0] for k, v in OPTIONS.items()}, options).items()}
    for key, value in opts.items():
        if value not in OPTIONS[key]:
            raise ValueError(f"unknown setting {key}={value}")
    attributes = {k: int(v) for k, v in with_defaults(GIVEN, given).items()}
    atomic = {op: is_atomic(program, op, version, attributes) for thread in program.threads for op in thread.ops}
    domain = value_domain(program, opts, values, atomic)
    runs = [thread_runs(program, t, domain, atomic) for t in range(len(program.threads))]
    for c in candidates(program, runs):
        if opts["thin_air"] == "off" or no_thin_air(c):
            yield from consistent(c, opts)


def consistent(c: Candidate, options: Mapping[str, str]) -> Iterator[Execution]:
    """The candidate as an execution, if no axiom forbids it; thin air is the caller's affair."""
    if not atomicity(c):
        return
    incl = inclusion(c.program, c.events)
    sw = synchronizes_with(c, incl, options)
    hb = happens_before(c, sw)
    eco = extended_coherence(c)
    if not coherence(hb, eco):
        return
    before = sc_before_cpp20(c, sw, hb, eco) if options["sc_order"] == "c++20" else sc_before_rc11(c, hb, eco)
    if not seq_cst(before, incl, options):
        return
    yield Execution(
        registers=c.registers,
        memory={name: line[-1].value for name, line in c.co_orders.items()},
        rf=frozenset((event_id(w), event_id(r)) for w, r in c.rf),
        co=tuple((name, tuple(event_id(w) for w in line)) for name, line in sorted(c.co_orders.items())),
        races=race_pairs(c, hb, incl),
    )


State = tuple[tuple[tuple[tuple[str, int], ...], ...], tuple[tuple[str, int], ...]]


def summary(
    program: Program,
    options: Mapping[str, str] | None = None,
    version: int = 3,
    given: Mapping[str, int] | None = None,
    values: Iterable[int] = (),
) -> tuple[int, set[State], bool, set[str]]:
    """(number of consistent executions distinct in rf and co, final states, is there a race, locations with a race).
    A state is (per thread its sorted (register, value) pairs, the sorted (location, value) pairs)."""
    distinct, states, racy = set(), set(), set()
    for x in enumerate_executions(program, options, version, given, values):
        distinct.add((x.rf, x.co))
        states.add((tuple(tuple(sorted(r.items())) for r in x.registers), tuple(sorted(x.memory.items()))))
        for t, i in (end for race in x.races for end in race):
            op = program.threads[t].ops[i]
            if not isinstance(op, Fence):
                racy.add(op.loc)
    return len(distinct), states, bool(racy), racy
