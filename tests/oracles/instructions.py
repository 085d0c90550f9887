"""A few of PTX's instructions, and an interpreter of these that is told what each read returns (PTX ISA, chapter 9).

A function is a list of them; jumps go to positions in it, so that loops may be entered anywhere.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tests.oracles.functions import ELEMENTS, LARGEST, Access, Ran

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: The registers of a function; a call passes and returns the first.
REGISTERS = 3


@dataclass(frozen=True)
class Load:
    target: int
    index: int


@dataclass(frozen=True)
class Store:
    index: int
    value: int


@dataclass(frozen=True)
class Add:
    """``target = (source + number) & LARGEST``."""

    target: int
    source: int
    number: int


@dataclass(frozen=True)
class Branch:
    """``@p bra to``, where ``register op number``."""

    register: int
    op: str
    number: int
    to: int


@dataclass(frozen=True)
class Table:
    """``brx.idx`` by the last bit of a register."""

    register: int
    to: tuple[int, int]


@dataclass(frozen=True)
class Jump:
    to: int


@dataclass(frozen=True)
class Call:
    target: int
    function: str
    argument: int


@dataclass(frozen=True)
class Return:
    pass


Instruction: TypeAlias = Load | Store | Add | Branch | Table | Jump | Call | Return
_TESTS: Mapping[str, Callable[[int, int], bool]] = {
    "eq": int.__eq__, "ne": int.__ne__, "lt": int.__lt__, "ge": int.__ge__,
}  # fmt: skip
OPERATORS = tuple(_TESTS)


class _Stop(Exception):
    pass


def ran(functions: Mapping[str, Sequence[Instruction]], name: str, read: Callable[[int], int], most: int) -> Ran:
    """What a function does, if access ``n`` reads ``read(n)`` where it is a read; its turns are the most executions
    of one instruction, in one chain of calls.  More of these than ``most`` end the run."""
    trace: list[Access] = []
    visits: Counter[tuple[object, ...]] = Counter()

    def call(name: str, first: int, path: tuple[object, ...]) -> int:
        held, at, code = [first] + [0] * (REGISTERS - 1), 0, functions[name]
        while True:
            visits[*path, at] += 1
            if visits[*path, at] > most:
                raise _Stop
            one, at = code[at], at + 1
            match one:
                case Load(target, index):
                    element = held[index] % ELEMENTS
                    held[target] = read(len(trace))
                    trace.append(Access("R", element, held[target]))
                case Store(index, value):
                    trace.append(Access("W", held[index] % ELEMENTS, held[value]))
                case Add(target, source, number):
                    held[target] = (held[source] + number) & LARGEST
                case Branch(register, op, number, to):
                    at = to if _TESTS[op](held[register], number) else at
                case Table(register, to):
                    at = to[held[register] & 1]
                case Jump(to):
                    at = to
                case Call(target, function, argument):
                    held[target] = call(function, held[argument], (*path, at))
                case Return():
                    return held[0]

    try:
        call(name, 0, ())
    except _Stop:
        return Ran(tuple(trace), False, max(visits.values()))
    return Ran(tuple(trace), True, max(visits.values()))
