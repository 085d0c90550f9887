"""Functions of one thread as trees, and an interpreter of these that is told what each read returns.

Statements mean what C++ says ([stmt]): written from that alone, over trees, with Python's own control flow for none of it
but calls.  Numbers are kept between 0 and 7, so that nothing overflows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: The elements of the array that functions read and write, and the largest number.
ELEMENTS, LARGEST = 4, 7


@dataclass(frozen=True)
class Var:
    name: str


@dataclass(frozen=True)
class Sum:
    """``(variable * by + add) & LARGEST``."""

    name: str
    by: int
    add: int


Expr: TypeAlias = int | Var | Sum


@dataclass(frozen=True)
class Element:
    """What is read at an index."""

    index: Expr


@dataclass(frozen=True)
class Test:
    """A comparison, ``left op right``."""

    left: Expr
    op: str
    right: Expr | Element


@dataclass(frozen=True)
class Both:
    """``left && right`` or ``left || right``."""

    op: str
    left: Test
    right: Test


@dataclass(frozen=True)
class Assign:
    target: str
    value: Expr


@dataclass(frozen=True)
class Read:
    target: str
    index: Expr


@dataclass(frozen=True)
class Write:
    index: Expr
    value: Expr


@dataclass(frozen=True)
class Call:
    target: str
    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class If:
    test: Test | Both
    then: Block
    otherwise: Block


@dataclass(frozen=True)
class Loop:
    """``while``, ``do`` or ``for``; ``step`` is what a ``for`` does after each turn."""

    kind: str
    test: Test | Both
    body: Block
    step: Assign | None = None


@dataclass(frozen=True)
class Switch:
    """The statements behind each label, the next ones' too where no ``break`` is; None is ``default``."""

    value: Expr
    cases: tuple[tuple[int | None, Block], ...]


@dataclass(frozen=True)
class Jump:
    """``break`` or ``continue``."""

    kind: str


@dataclass(frozen=True)
class Return:
    value: Expr


Statement: TypeAlias = Assign | Read | Write | Call | If | Loop | Switch | Jump | Return
Block: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True)
class Function:
    name: str
    parameters: tuple[str, ...]
    variables: tuple[str, ...]
    body: Block


class Access(NamedTuple):
    kind: str
    element: int
    value: int


class Ran(NamedTuple):
    """What a thread did; whether it came to its end; how many turns the loop took that took the most at a time."""

    trace: tuple[Access, ...]
    ended: bool
    turns: int


class _Stop(Exception):
    pass


class _Run:
    def __init__(self, functions: Mapping[str, Function], read: Callable[[int], int], most: int) -> None:
        self.functions, self.read, self.most = functions, read, most
        self.trace: list[Access] = []
        self.turns = 0

    def call(self, name: str, arguments: list[int]) -> int:
        function = self.functions[name]
        held = dict.fromkeys(function.variables, 0) | dict(zip(function.parameters, arguments, strict=True))
        match self.block(function.body, held):
            case ("return", int(value)):
                return value
            case _:
                raise AssertionError("a function ends with a return")

    def block(self, statements: Block, held: dict[str, int]) -> tuple[str, int]:
        for statement in statements:
            how = self.statement(statement, held)
            if how[0] != "":
                return how
        return "", 0

    def statement(self, one: Statement, held: dict[str, int]) -> tuple[str, int]:
        match one:
            case Assign(target, value):
                held[target] = _value(value, held)
            case Read(target, index):
                at = _value(index, held) % ELEMENTS
                held[target] = self.access("R", at, None)
            case Write(index, value):
                self.access("W", _value(index, held) % ELEMENTS, _value(value, held))
            case Call(target, function, arguments):
                held[target] = self.call(function, [_value(argument, held) for argument in arguments])
            case If(test, then, otherwise):
                return self.block(then if self.holds(test, held) else otherwise, held)
            case Loop():
                return self.loop(one, held)
            case Switch(value, cases):
                return self.switch(_value(value, held), cases, held)
            case Jump(kind):
                return kind, 0
            case Return(value):
                return "return", _value(value, held)
        return "", 0

    def loop(self, loop: Loop, held: dict[str, int]) -> tuple[str, int]:
        turns = 0
        while (loop.kind == "do" and turns == 0) or self.holds(loop.test, held):
            turns += 1
            self.turns = max(self.turns, turns)
            if turns > self.most:
                raise _Stop
            how, value = self.block(loop.body, held)
            if how == "return":
                return how, value
            if how == "break":
                return "", 0
            if loop.step is not None:
                self.statement(loop.step, held)
        return "", 0

    def switch(self, value: int, cases: tuple[tuple[int | None, Block], ...], held: dict[str, int]) -> tuple[str, int]:
        labels = [label for label, _ in cases]
        begin = labels.index(value) if value in labels else labels.index(None) if None in labels else len(cases)
        for _, statements in cases[begin:]:
            how, result = self.block(statements, held)
            if how == "break":
                return "", 0
            if how != "":
                return how, result
        return "", 0

    def holds(self, test: Test | Both, held: Mapping[str, int]) -> bool:
        match test:
            case Both("&&", left, right):
                return self.holds(left, held) and self.holds(right, held)
            case Both(_, left, right):
                return self.holds(left, held) or self.holds(right, held)
            case Test(first, op, Element(index)):
                return _compared(_value(first, held), op, self.access("R", _value(index, held) % ELEMENTS, None))
            case Test(first, op, second):
                assert not isinstance(second, Element)
                return _compared(_value(first, held), op, _value(second, held))

    def access(self, kind: str, at: int, value: int | None) -> int:
        value = self.read(len(self.trace)) if value is None else value
        self.trace.append(Access(kind, at, value))
        return value


def _value(of: Expr, held: Mapping[str, int]) -> int:
    match of:
        case int():
            return of
        case Var(name):
            return held[name]
        case Sum(name, by, add):
            return (held[name] * by + add) & LARGEST


def _compared(left: int, op: str, right: int) -> bool:
    return {
        "==": left == right, "!=": left != right, "<": left < right, "<=": left <= right, ">": left > right,
        ">=": left >= right,
    }[op]  # fmt: skip


def ran(functions: Mapping[str, Function], name: str, read: Callable[[int], int], most: int) -> Ran:
    """What a function does that is called without arguments, if access ``n`` reads ``read(n)`` where it is a read.

    A loop that is gone round more than ``most`` times at once ends the run.
    """
    run = _Run(functions, read, most)
    try:
        run.call(name, [])
    except _Stop:
        return Ran(tuple(run.trace), False, run.turns)
    return Ran(tuple(run.trace), True, run.turns)
