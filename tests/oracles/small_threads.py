"""Small threads for the brute-force checkers: a language, and the ways through a thread when its reads return given values.

A thread is run alone, one statement a step; a read returns each value of a given set in turn, so that nothing of memory is
known here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from tests.oracles import brute_programs
from tests.oracles.brute_memory import acquire_half, release_half
from tests.oracles.brute_programs import Event, Run

# ---------------------------------------------------------------- the language

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
    order: str | None = "relaxed"  # None: a plain access
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
    """A compare-exchange: ``reg`` becomes the value found, ``success`` whether it was exchanged."""

    reg: str
    at: Place
    expected: Expr
    desired: Expr
    order: str = "relaxed"
    failure: str = "relaxed"
    scope: str = "device"
    success: str = ""  # no register
    weak: bool = False  # may fail without a reason


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
class Loop:
    """do { body } while (again);"""

    body: Body
    again: Expr


@dataclass(frozen=True)
class End:
    """The end of a turn; in no program."""

    loop: Loop


Simple = Load | Store | Rmw | Cas | Fence | Let
Stmt = Simple | If | Loop
Body = tuple[Stmt, ...]


@dataclass(frozen=True)
class Thread:
    block: str
    body: Body


@dataclass(frozen=True)
class Program:
    threads: tuple[Thread, ...]
    locations: Mapping[str, int]  # with initial values; an element is named "a[0]"

    def declared(self) -> brute_programs.Program:
        """Places and locations, for the axioms."""
        threads = [brute_programs.Thread(f"t{n}", "device", 0, t.block, ()) for n, t in enumerate(self.threads)]
        locations = {name: brute_programs.Loc(initial) for name, initial in self.locations.items()}
        return brute_programs.Program(tuple(threads), locations)


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
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "||": lambda a, b: int(bool(a) or bool(b)),
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


def statements(body: Body) -> Iterator[Stmt]:
    """All of them, those within others too."""
    for statement in body:
        yield statement
        if isinstance(statement, If):
            yield from statements((*statement.then, *statement.otherwise))
        if isinstance(statement, Loop):
            yield from statements(statement.body)


# ---------------------------------------------------------------- ways through a thread

Domain = Mapping[str, Collection[int]]  # the values that a read of each location may return


class Name(NamedTuple):
    """What makes two events of different ways each other's counterpart.

    The definition of a dependency: "the n-th access to that location of the same kind, order and scope".
    CHOICE: the read and the write of a read-modify-write are kinds of their own; the order of a compare-exchange is that
    of its success, so that it is the same read whether it succeeds or fails.
    """

    kind: str  # "R", "W", "RMW-R", "RMW-W"; "choice": whether a weak compare-exchange of equal values exchanged
    location: str
    order: str | None
    scope: str
    number: int


Rest = tuple[tuple[int, Stmt | End], ...]  # the statements that are left, each with its number in the thread
NOTHING = Run((), (), {})


@dataclass(frozen=True)
class Way:
    """A thread on its way: what it has done, and what is left."""

    thread: int
    rest: Rest
    run: Run = NOTHING
    names: tuple[Name, ...] = ()  # of the accesses among the run's events, in their order
    choices: tuple[tuple[Name, int], ...] = ()

    def accesses(self) -> Iterator[tuple[Event, Name]]:
        return zip((e for e in self.run.events if e.kind != "F"), self.names, strict=True)

    def location(self, at: Place) -> str:
        return at if isinstance(at, str) else f"{at.array}[{evaluate(at.index, self.run.registers)}]"

    def assigned(self, reg: str, value: int) -> Way:
        return replace(self, run=replace(self.run, registers={**self.run.registers, reg: value})) if reg else self

    def event(self, event: Event, kind: str = "", order: str | None = None) -> Way:
        """The way with one event more; its kind and order as a counterpart, where they are not the event's."""
        run = replace(self.run, events=(*self.run.events, event))
        if event.loc is None:
            return replace(self, run=run)
        name = Name(kind or event.kind, event.loc, order or event.order, event.scope, 0)
        number = sum(n[:4] == name[:4] for n in self.names)
        return replace(self, run=run, names=(*self.names, name._replace(number=number)))

    def chosen(self, exchanged: bool) -> Way:
        """A weak compare-exchange of equal values, just executed, has exchanged or not."""
        name = [n for n in self.names if n.kind == "RMW-R"][-1]
        return replace(self, choices=(*self.choices, (name._replace(kind="choice"), int(exchanged))))

    def update(self, read: Event, write: Event) -> Way:
        after = self.event(read, "RMW-R").event(write, "RMW-W")
        return replace(after, run=replace(after.run, rmw=(*after.run.rmw, (read, write))))


def start(thread: int, body: Body) -> Way:
    return Way(thread, _numbered(body, 0))


def _numbered(body: Body, first: int) -> Rest:
    """The statements with numbers that leave room for those within them."""
    found = []
    for statement in body:
        found.append((first, statement))
        first += len(list(statements((statement,))))
    return tuple(found)


def step(way: Way, domain: Domain) -> Iterator[Way]:
    """The ways that go on by one statement."""
    ((number, statement), *left) = way.rest
    rest = tuple(left)
    match statement:
        case If(condition, then, otherwise):
            taken = _numbered(then, number + 1)
            if not evaluate(condition, way.run.registers):
                taken = _numbered(otherwise, number + 1 + len(list(statements(then))))
            yield replace(way, rest=(*taken, *rest))
        case Loop(body):
            yield replace(way, rest=(*_numbered(body, number + 1), (number, End(statement)), *rest))
        case End(loop):
            again = bool(evaluate(loop.again, way.run.registers))
            yield replace(way, rest=((number, loop), *rest) if again else rest)
        case _:
            for after in _executed(number, statement, way, domain):
                yield replace(after, rest=rest)


def _executed(number: int, statement: Simple, way: Way, domain: Domain) -> Iterator[Way]:
    """The way with the statement's events: once for each value that its read may return."""
    turn = len({e.op for e in way.run.events if int(e.op) // 1000 == number})

    def event(kind: str, location: str | None, value: int, order: str | None) -> Event:
        scope = "thread" if order is None or isinstance(statement, Let) else statement.scope
        atomic = location is not None and order is not None
        return Event(kind, way.thread, 1000 * number + turn, location, value, order, scope, atomic)

    registers = way.run.registers
    match statement:
        case Let(reg, value):
            yield way.assigned(reg, evaluate(value, registers))
        case Fence(order):
            yield way.event(event("F", None, 0, order))
        case Store(place, value, order):
            yield way.event(event("W", way.location(place), evaluate(value, registers), order))
        case Load(reg, place, order):
            location = way.location(place)
            for old in sorted(domain[location]):
                yield way.event(event("R", location, old, order)).assigned(reg, old)
        case Rmw(reg, place, operator, operand, order):
            location = way.location(place)
            for old in sorted(domain[location]):
                read = event("R", location, old, acquire_half(order))
                write = event("W", location, evaluate((operator, old, operand), registers), release_half(order))
                yield way.update(read, write).assigned(reg, old)
        case Cas(reg, place, expected, desired, order, failure):
            location, wanted = way.location(place), evaluate(expected, registers)
            for old in sorted(domain[location]):
                if old != wanted or statement.weak:
                    after = way.event(event("R", location, old, failure), "RMW-R", acquire_half(order))
                    after = after.assigned(reg, old).assigned(statement.success, 0)
                    yield after.chosen(False) if old == wanted else after
                if old == wanted:
                    read = event("R", location, old, acquire_half(order))
                    write = event("W", location, evaluate(desired, registers), release_half(order))
                    after = way.update(read, write)
                    after = after.assigned(reg, old).assigned(statement.success, 1)
                    yield after.chosen(True) if statement.weak else after
