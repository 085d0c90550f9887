"""A brute-force checker for dependencies that no compiler can remove, and for `acyclic rf | dep` under `cuda`.

Written only from the words of the definition, which are quoted where they are used; the other axioms are those of
brute_memory.  Where the definition leaves something open the choice is marked CHOICE.

A thread is run alone with every assignment of values to its reads (`ways`).  Two ways that give every read but one the same
value show what depends on that one (`dependencies`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import NamedTuple

from tests.oracles import brute_memory
from tests.oracles.brute_memory import Event, Execution, Rel, Run, acquire_half, acyclic, release_half

# ---------------------------------------------------------------- programs

Expr = int | str | tuple[str, "Expr", "Expr"]  # a constant, a register, or an operator of C++ and its operands


@dataclass(frozen=True)
class Element:
    array: str
    index: Expr


Place = str | Element


@dataclass(frozen=True)
class Load:
    reg: str
    at: Place
    order: str | None = "relaxed"
    scope: str = "device"


@dataclass(frozen=True)
class Store:
    at: Place
    value: Expr
    order: str | None = "relaxed"
    scope: str = "device"


@dataclass(frozen=True)
class Rmw:
    reg: str
    at: Place
    operator: str  # "exchange", or the operator of a fetch_…
    operand: Expr
    order: str = "relaxed"
    scope: str = "device"


@dataclass(frozen=True)
class Cas:
    reg: str
    at: Place
    expected: Expr
    desired: Expr
    order: str = "relaxed"
    failure: str = "relaxed"
    scope: str = "device"


@dataclass(frozen=True)
class Fence:
    order: str
    scope: str = "device"


@dataclass(frozen=True)
class Let:
    reg: str
    value: Expr


@dataclass(frozen=True)
class If:
    condition: Expr
    then: Body
    otherwise: Body = ()


@dataclass(frozen=True)
class Wait:
    """do reg = at; while (!until);"""

    reg: str
    at: Place
    until: Expr
    order: str = "relaxed"
    scope: str = "device"
    turns: int = 2  # more turns in vain are as one


Stmt = Load | Store | Rmw | Cas | Fence | Let | If | Wait
Body = tuple[Stmt, ...]


@dataclass(frozen=True)
class Thread:
    block: str
    body: Body


@dataclass(frozen=True)
class Program:
    threads: tuple[Thread, ...]
    locations: Mapping[str, int]  # with initial values; an element is named "a[0]"

    def declared(self) -> brute_memory.Program:
        """Places and locations, for the axioms."""
        threads = [brute_memory.Thread(f"t{n}", "device", 0, t.block, ()) for n, t in enumerate(self.threads)]
        locations = {name: brute_memory.Loc(initial) for name, initial in self.locations.items()}
        return brute_memory.Program(tuple(threads), locations)


_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "exchange": lambda _, b: b,
}


def evaluate(value: Expr, registers: Mapping[str, int]) -> int:
    match value:
        case int():
            return value
        case str():
            return registers.get(value, -1)  # what the text of a program gives to a register at first
        case (operator, left, right):
            return _OPERATORS[operator](evaluate(left, registers), evaluate(right, registers))


# ---------------------------------------------------------------- the ways of a thread


Domain = Mapping[str, set[int]]  # the values of each location


class Name(NamedTuple):
    """What makes two events of different ways each other's counterpart.

    The definition: "the n-th access to that location of the same kind, order and scope".
    CHOICE: the read and the write of a read-modify-write are kinds of their own, and the order is as written, so that a
    compare-exchange is the same read whether it succeeds or fails.
    """

    kind: str  # "R", "W", "RMW-R", "RMW-W"
    location: str
    order: tuple[str | None, ...]
    scope: str
    number: int


NOTHING = Run((), (), {})


@dataclass(frozen=True)
class Way:
    """What a thread does with given values of its reads."""

    run: Run = NOTHING
    names: tuple[Name, ...] = ()  # of the accesses among the run's events, in their order
    for_ever: bool = False  # stays in a loop of reads

    def accesses(self) -> Iterator[tuple[Event, Name]]:
        return zip((e for e in self.run.events if e.kind != "F"), self.names, strict=True)

    def reads_within(self, domain: Domain) -> bool:
        return all(e.value in domain[name.location] for e, name in self.accesses() if e.kind == "R")

    def location(self, at: Place) -> str:
        return at if isinstance(at, str) else f"{at.array}[{evaluate(at.index, self.run.registers)}]"

    def assigned(self, reg: str, value: int) -> Way:
        return replace(self, run=replace(self.run, registers={**self.run.registers, reg: value}))

    def event(self, event: Event, kind: str, order: tuple[str | None, ...]) -> Way:
        run = replace(self.run, events=(*self.run.events, event))
        if event.loc is None:
            return replace(self, run=run)
        name = Name(kind, event.loc, order, event.scope, 0)
        number = sum(n[:4] == name[:4] for n in self.names)
        return replace(self, run=run, names=(*self.names, name._replace(number=number)))


def numbered(body: Body, first: int) -> list[tuple[int, Stmt]]:
    """The statements with numbers that leave room for those within them."""
    found = []
    for statement in body:
        found.append((first, statement))
        first += size(statement)
    return found


def size(statement: Stmt) -> int:
    if isinstance(statement, If):
        return 1 + sum(map(size, (*statement.then, *statement.otherwise)))
    return statement.turns if isinstance(statement, Wait) else 1


def ways(thread: int, body: Body, domain: Domain) -> list[Way]:
    """One for each assignment of values to the reads."""
    found = []
    pending: list[tuple[tuple[tuple[int, Stmt], ...], Way]] = [(tuple(numbered(body, 0)), Way())]
    while pending:
        statements, way = pending.pop()
        if not statements or way.for_ever:
            found.append(way)
            continue
        ((at, statement), *rest) = statements
        match statement:
            case If(condition, then, otherwise):
                first = at + 1
                taken = numbered(then, first)
                if not evaluate(condition, way.run.registers):
                    taken = numbered(otherwise, first + sum(map(size, then)))
                pending.append(((*taken, *rest), way))
            case Wait(reg, place, until, order, scope, turns):
                for after in simple(thread, at, Load(reg, place, order, scope), way, domain):
                    if evaluate(until, after.run.registers):
                        pending.append((tuple(rest), after))
                    elif turns == 1:
                        pending.append(((), replace(after, for_ever=True)))
                    else:
                        pending.append((((at + 1, replace(statement, turns=turns - 1)), *rest), after))
            case _:
                pending += [(tuple(rest), after) for after in simple(thread, at, statement, way, domain)]
    return found


def simple(
    thread: int, at: int, statement: Load | Store | Rmw | Cas | Fence | Let, way: Way, domain: Domain
) -> Iterator[Way]:
    """The way continued by a statement: once for each value that its read may return."""

    def event(kind: str, location: str | None, value: int, order: str | None) -> Event:
        scope = "thread" if order is None else statement.scope  # type: ignore[union-attr]
        return Event(kind, thread, at, location, value, order, scope, location is not None and order is not None)

    registers = way.run.registers
    match statement:
        case Let(reg, value):
            yield way.assigned(reg, evaluate(value, registers))
        case Fence(order):
            yield way.event(event("F", None, 0, order), "F", (order,))
        case Store(place, value, order):
            yield way.event(event("W", way.location(place), evaluate(value, registers), order), "W", (order,))
        case Load(reg, place, order):
            location = way.location(place)
            for old in sorted(domain[location]):
                yield way.event(event("R", location, old, order), "R", (order,)).assigned(reg, old)
        case Rmw(reg, place, operator, operand, order):
            location = way.location(place)
            for old in sorted(domain[location]):
                new = evaluate((operator, old, operand), registers)
                read = event("R", location, old, acquire_half(order))
                write = event("W", location, new, release_half(order))
                yield update(way, read, write, (order,)).assigned(reg, old)
        case Cas(reg, place, expected, desired, order, failure):
            location, wanted = way.location(place), evaluate(expected, registers)
            for old in sorted(domain[location]):
                if old != wanted:
                    after = way.event(event("R", location, old, failure), "RMW-R", (order, failure))
                else:
                    read = event("R", location, old, acquire_half(order))
                    write = event("W", location, evaluate(desired, registers), release_half(order))
                    after = update(way, read, write, (order, failure))
                yield after.assigned(reg, old)


def update(way: Way, read: Event, write: Event, order: tuple[str, ...]) -> Way:
    after = way.event(read, "RMW-R", order).event(write, "RMW-W", order)
    return replace(after, run=replace(after.run, rmw=(*after.run.rmw, (read, write))))


# ---------------------------------------------------------------- dependencies

Target = Name | int  # a write by its name, a read by its statement and turn
Dependencies = frozenset[tuple[Name, Target]]


def dependencies(of_thread: Iterable[Way]) -> Dependencies:
    """From each read to the events that depend on it.

    The definition: "A read r has a dependency to a later event e of its thread if, for some values of the thread's other reads,
    two values of r (each of its location's value set) differ in whether e's counterpart occurs, in its location or, for
    a write, its value."
    CHOICE: other reads are the same in both ways if they are each other's counterparts.
    CHOICE: "To reads only addresses count": a statement executed in both ways that reads another location.
    """
    found: set[tuple[Name, Target]] = set()
    facts = [(reads_of(way), writes_of(way), places_of(way)) for way in of_thread]
    for (reads, writes, places), (reads2, writes2, places2) in combinations(facts, 2):
        differing = [name for name in reads.keys() & reads2.keys() if reads[name] != reads2[name]]
        if len(differing) != 1:
            continue
        (r,) = differing
        found |= {(r, name) for name in writes.keys() | writes2.keys() if writes.get(name) != writes2.get(name)}
        found |= {(r, at) for at in places.keys() & places2.keys() if places[at] != places2[at]}
    return frozenset(found)


def reads_of(way: Way) -> dict[Name, int]:
    return {name: e.value for e, name in way.accesses() if e.kind == "R"}


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

OPTIONS = {name: values[0] for name, values in brute_memory.OPTIONS.items()}


def wide_domain(program: Program) -> dict[str, set[int]]:
    """Per location no fewer values than any execution gives it.

    Every write executes at most once, and its value follows from those of the reads that it depends on, which come from
    writes before in `rf | dep`: as many rounds as there are writes find all.
    """
    domain = {name: {initial} for name, initial in program.locations.items()}
    for _ in range(sum(writes(t.body) for t in program.threads)):
        before = {name: set(values) for name, values in domain.items()}
        for n, thread in enumerate(program.threads):
            for way in ways(n, thread.body, before):
                for e in way.run.events:
                    if e.kind == "W" and e.loc is not None:
                        domain[e.loc].add(e.value)
        if before == domain:
            break
    return domain


def writes(body: Body) -> int:
    total = 0
    for statement in body:
        if isinstance(statement, If):
            total += writes(statement.then) + writes(statement.otherwise)
        total += isinstance(statement, Store | Rmw | Cas)
    return total


@dataclass(frozen=True)
class Answer:
    """The executions with the dependencies that follow from value sets as large, and as small, as they may be.

    Which values a location's set has beyond those that it takes the definition does not say.  More values make more
    dependencies and fewer executions; mostly the two are equal.
    """

    least: list[Execution]
    most: list[Execution]


def executions(program: Program) -> Answer:
    """Every complete consistent execution under `thin_air = dependencies`."""
    wide = wide_domain(program)
    ways_of = [ways(n, thread.body, wide) for n, thread in enumerate(program.threads)]
    found = list(consistent(program, ways_of))

    def under(domain: Domain) -> list[tuple[tuple[Way, ...], Execution]]:
        static = [dependencies(way for way in of_thread if way.reads_within(domain)) for of_thread in ways_of]
        return [(chosen, x) for chosen, rf, x in found if acyclic(rf | in_execution(chosen, static))]

    least = under(wide)
    narrow = {name: {initial} for name, initial in program.locations.items()}
    for chosen, _ in least:
        for e, name in (access for way in chosen for access in way.accesses()):
            if e.kind == "W":
                narrow[name.location].add(e.value)
    return Answer([x for _, x in least], [x for _, x in under(narrow)])


def consistent(program: Program, ways_of: Iterable[Iterable[Way]]) -> Iterator[tuple[tuple[Way, ...], Rel, Execution]]:
    """Every complete execution that the axioms but that of thin air allow: the threads' ways, rf, and the execution."""
    declared = program.declared()
    for chosen in product(*([way for way in of_thread if not way.for_ever] for of_thread in ways_of)):
        for candidate in brute_memory.candidates(declared, [[way.run] for way in chosen]):
            for execution in brute_memory.consistent(candidate, OPTIONS):
                yield chosen, candidate.rf, execution
