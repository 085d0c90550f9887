"""A brute-force checker for dependencies that no compiler can remove, and for `acyclic rf | dep` under `cuda`.

Written only from the words of the definition, which are quoted where they are used; the other axioms are those of
brute_memory.  Where the definition leaves something open the choice is marked CHOICE.

A thread is run alone with every assignment of values to its reads (`ways`).  Two ways that give every read but one the same
value show what depends on that one (`dependencies`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product

from tests.oracles import brute_memory, brute_programs
from tests.oracles.brute_programs import Execution, Rel
from tests.oracles.brute_relations import acyclic
from tests.oracles.small_threads import (
    Body,
    Cas,
    Domain,
    Element,
    If,
    Load,
    Loop,
    Name,
    Program,
    Rmw,
    Stmt,
    Store,
    Way,
    start,
    statements,
    step,
)

TURNS = 2  # turns of a loop; "a way that stays in a loop of reads for ever has no later events"


def ways(thread: int, body: Body, domain: Domain) -> list[Way]:
    """One for each assignment of values to the reads; what is left of those that stay in a loop is not empty."""
    found = []
    pending: list[tuple[Way, tuple[int, ...]]] = [(start(thread, body), ())]
    while pending:
        way, turns = pending.pop()
        if way.rest and isinstance(way.rest[0][1], Loop):
            turns = (*turns, way.rest[0][0])
        if not way.rest or turns.count(way.rest[0][0]) > TURNS:
            found.append(way)
        else:
            pending += [(after, turns) for after in step(way, domain)]
    return found


# ---------------------------------------------------------------- dependencies

Target = Name | int  # a write by its name, a read by its statement and turn
Dependencies = frozenset[tuple[Name, Target]]


def dependencies(of_thread: Iterable[Way]) -> Dependencies:
    """From each read to the events that depend on it.

    The definition: "A read r has a dependency to a later event e of its thread if, for some values of the thread's
    other reads, two values of r (each of its location's value set) differ in whether e's counterpart occurs, in its
    location or, for a write, its value."
    CHOICE: other reads are the same in both ways if they are each other's counterparts.
    CHOICE: "To reads only addresses count": a statement executed in both ways that reads another location.
    """
    found: set[tuple[Name, Target]] = set()
    facts = [(given(way), writes_of(way), places_of(way)) for way in of_thread]
    for (reads, writes, places), (reads2, writes2, places2) in combinations(facts, 2):
        differing = [name for name in reads.keys() & reads2.keys() if reads[name] != reads2[name]]
        if len(differing) != 1:
            continue
        (r,) = differing
        if r.kind == "choice":
            continue
        found |= {(r, name) for name in writes.keys() | writes2.keys() if writes.get(name) != writes2.get(name)}
        found |= {(r, at) for at in places.keys() & places2.keys() if places[at] != places2[at]}
    return frozenset(found)


def reads_of(way: Way) -> dict[Name, int]:
    return {name: e.value for e, name in way.accesses() if e.kind == "R"}


def given(way: Way) -> dict[Name, int]:
    """What a way is decided by: the values of its reads, and where it failed without a reason."""
    return {**reads_of(way), **dict(way.choices)}


def writes_of(way: Way) -> dict[Name, int]:
    """A way that stays in a loop of reads "has no later events": nothing is to be added for it."""
    return {name: e.value for e, name in way.accesses() if e.kind == "W"}


def places_of(way: Way) -> dict[int, str | None]:
    return {int(e.op): e.loc for e, _ in way.accesses() if e.kind == "R"}


def in_execution(chosen: Iterable[Way], of_threads: Iterable[Dependencies]) -> Rel:
    """dep: the pairs of events of an execution.  "The read of a read-modify-write always precedes its write." """
    dep: Rel = set()
    for way, static in zip(chosen, of_threads, strict=True):
        dep |= set(way.run.rmw)
        for (r, name), (e, other) in combinations(way.accesses(), 2):  # r comes before e
            if (name, other if e.kind == "W" else int(e.op)) in static:
                dep.add((r, e))
    return dep


# ---------------------------------------------------------------- executions

OPTIONS = {name: values[0] for name, values in brute_programs.OPTIONS.items()}


def wide_domain(program: Program) -> tuple[dict[str, set[int]], bool]:
    """Per location no fewer values than any execution gives it, whatever branches decide; and whether these are all.

    Every write executes at most once a turn, and its value follows from those of the reads that it depends on, which
    come from writes before in `rf | dep`: as many rounds as there are writes find all that an execution has.
    """
    domain = {name: {initial} for name, initial in program.locations.items()}
    bodies = [either_way(t.body) for t in program.threads]
    written = [s for body in bodies for s in statements(body) if isinstance(s, Store | Rmw | Cas)]
    for _ in range(TURNS * len(written)):
        before = {**{name: set(values) for name, values in domain.items()}, "?": {0, 1}}
        for n, body in enumerate(bodies):
            for way in ways(n, body, before):
                for e in way.run.events:
                    if e.kind == "W":
                        domain[str(e.loc)].add(e.value)
        if before == {**domain, "?": {0, 1}}:
            return domain, True
    return domain, False


def either_way(body: Body) -> Body:
    """The statements with branches, loops, compare-exchanges and indices that nothing decides."""
    choice = Load("?", "?")

    def open_(statement: Stmt) -> Body:
        match statement:
            case If(_, then, otherwise):
                return (choice, If("?", either_way(then), either_way(otherwise)))
            case Loop(turn):
                return (Loop((*either_way(turn), choice), "?"),)
            case Load() | Store() | Rmw() | Cas() if isinstance(statement.at, Element) and statement.at.index not in (
                0,
                1,
            ):
                zero, one = (replace(statement, at=Element(statement.at.array, n)) for n in (0, 1))
                return (choice, If("?", open_(zero), open_(one)))
            case Cas(reg, at, _, desired):
                return (choice, If("?", (Rmw(reg, at, "exchange", desired),), (Load(reg, at),)))
            case _:
                return (statement,)

    return tuple(one for statement in body for one in open_(statement))


@dataclass(frozen=True)
class Answer:
    """The executions with as many dependencies, and with as few, as the definition may mean; mostly the two are equal.

    It does not say which values a location's set has beyond those that it takes: more values make more dependencies.
    Nor does it say whether an event in one way is the same event in another where its number there is not the same.
    """

    least: list[Execution]
    most: list[Execution]
    finite: bool  # the value sets have an end


def executions(program: Program) -> Answer:
    """Every complete consistent execution under `thin_air = dependencies`."""
    wide, finite = wide_domain(program)
    ways_of = [ways(n, thread.body, wide) for n, thread in enumerate(program.threads)]
    found = list(consistent(program, ways_of))

    def under(domain: Domain, every_way: bool) -> list[tuple[tuple[Way, ...], Execution]]:
        static = []
        for of_thread in ways_of:
            possible = [way for way in of_thread if within(way, domain)]
            found_for = dependencies(possible)
            static.append(in_every_way(found_for, possible) if every_way else found_for)
        return [(chosen, x) for chosen, rf, x in found if acyclic(rf | in_execution(chosen, static))]

    least = under(wide, True)
    narrow = {name: {initial} for name, initial in program.locations.items()}
    for chosen, _ in least:
        for e, name in (access for way in chosen for access in way.accesses()):
            if e.kind == "W":
                narrow[name.location].add(e.value)
    return Answer([x for _, x in least], [x for _, x in under(narrow, False)], finite)


def in_every_way(static: Dependencies, of_thread: Iterable[Way]) -> Dependencies:
    """What depends in one way depends in all, also where a statement's event is the n-th in one and the m-th in another."""
    names: dict[int, set[Name]] = {}
    for way in of_thread:
        for e, name in way.accesses():
            names.setdefault(int(e.op), set()).add(name)
    return static | {
        (r, other)
        for r, target in static
        for together in names.values()
        if target in together
        for other in together
        if other.kind in ("W", "RMW-W")
    }


def within(way: Way, domain: Domain) -> bool:
    return all(value in domain[name.location] for name, value in reads_of(way).items())


def consistent(program: Program, ways_of: Iterable[Iterable[Way]]) -> Iterator[tuple[tuple[Way, ...], Rel, Execution]]:
    """Every complete execution that the axioms but that of thin air allow: the threads' ways, rf, and the execution."""
    declared = program.declared()
    for chosen in product(*([way for way in of_thread if not way.rest] for of_thread in ways_of)):
        for candidate in brute_memory.candidates(declared, [[way.run] for way in chosen]):
            for execution in brute_memory.consistent(candidate, OPTIONS):
                yield chosen, candidate.rf, execution
