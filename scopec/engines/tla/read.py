"""Reads what TLC prints with ``-tool`` (engines note; messages may nest, SANY's text stands between them)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeAlias

from lark import Lark, Token, Transformer_NonRecursive, v_args
from lark.exceptions import UnexpectedInput

from scopec.base import grammars
from scopec.base.diagnostics import EngineError, OutOfRangeError
from scopec.base.records import dataclass

#: A TLA+ value: integers, strings, booleans, frozensets, tuples; records and functions are dictionaries.
TlaValue: TypeAlias = Any

_START = re.compile(r"@!@!@STARTMSG (\d+):(\d+) @!@!@\s*\Z")
_END = re.compile(r"@!@!@ENDMSG (\d+) @!@!@\s*\Z")
_STATE = re.compile(r"(\d+): <([^\n]*)>\s*\n(.*)\Z", re.DOTALL)
_ACTION = re.compile(r"\s*(\w+)")
#: What TLC says of a sum, a product or a number of more than 32 bits.
_TOO_LARGE = re.compile(r"Overflow when computing|number this big")
_DISTINCT = re.compile(r"([\d,]+) distinct states found")

Outcome = Literal["holds", "invariant", "deadlock", "liveness"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of TLC: its code, severity and text."""

    code: int
    severity: int
    text: str


@dataclass(frozen=True, slots=True)
class State:
    """One state of a behaviour: the action that led to it (empty for the first), and every variable's value."""

    action: str
    values: Mapping[str, TlaValue]


@dataclass(frozen=True)
class Result:
    """TLC's answer: what it found, a behaviour that shows it, and how many distinct states it saw.

    A liveness counterexample goes back to the state at index ``loop_to``, or stays in its last state (None).
    """

    outcome: Outcome
    behaviour: tuple[State, ...]
    loop_to: int | None
    states: int
    invariant: str = ""


def messages(output: str) -> list[Message]:
    """The messages of an output, in the order in which they begin; a nested one is also part of the text around it."""
    found: list[Message | None] = []
    open_: list[tuple[int, int, int, list[str]]] = []
    for line in output.splitlines():
        # TLC writes a nested start right behind other text: ": @!@!@STARTMSG …".
        before, mark, rest = line.partition("@!@!@STARTMSG")
        if mark and before.strip() and open_:
            open_[-1][3].append(before)
            line = mark + rest
        if start := _START.match(line):
            open_.append((len(found), int(start[1]), int(start[2]), []))
            found.append(None)
        elif _END.match(line) and open_:
            position, code, severity, lines = open_.pop()
            found[position] = Message(code, severity, "\n".join(lines))
            if open_:
                open_[-1][3].extend(lines)
        elif open_:
            open_[-1][3].append(line)
    for position, code, severity, lines in open_:  # the process was stopped in the middle
        found[position] = Message(code, severity, "\n".join(lines))
    return [message for message in found if message is not None]


def states_so_far(output: str) -> int | None:
    """The number of distinct states in the last progress report, or None without one."""
    reports = [m for m in messages(output) if m.code in (2199, 2200)]
    counts = [found for m in reports if (found := _DISTINCT.search(m.text))]
    return int(counts[-1][1].replace(",", "")) if counts else None


def read(output: str, status: int) -> Result:
    """TLC's answer; EngineError where it gives none (a parse error, an evaluation error, a crash)."""
    found = messages(output)
    by_code = {m.code: m for m in found}
    states = states_so_far(output) or 0
    if 2193 in by_code and status == 0:
        return Result("holds", (), None, states)
    behaviour, loop_to = _behaviour(found)
    if 2110 in by_code or 2107 in by_code:
        text = by_code[2110 if 2110 in by_code else 2107].text
        name = re.search(r"Invariant (\w+)", text)
        if not behaviour and 2107 in by_code:
            behaviour = (State("", parse_state(text.partition(":\n")[2] or text.partition("\n")[2])),)
        return Result("invariant", behaviour, None, states, name[1] if name else "")
    if 2114 in by_code:
        return Result("deadlock", behaviour, None, states)
    if 2116 in by_code:
        return Result("liveness", behaviour, loop_to, states)
    complaint = _complaint(found, output)
    kind = OutOfRangeError if 2132 in by_code or _TOO_LARGE.search(complaint) else EngineError
    raise kind(f"TLC gave no answer (exit status {status}): {complaint}")


def _complaint(found: list[Message], output: str) -> str:
    """The most telling message: an Assert's text, the first error, or SANY's."""
    for message in found:
        if message.code == 2132:
            return " ".join(message.text.split())[:300]
    if "*** Errors:" in output:
        after = output.partition("*** Errors:")[2].split("@!@!@")[0]
        return " ".join(after.split())[:300]
    for message in found:
        if message.severity in (1, 2, 3) and message.text.strip():
            return " ".join(message.text.split())[:300]
    return " ".join(output.split())[-300:] or "it printed nothing"


def _behaviour(found: list[Message]) -> tuple[tuple[State, ...], int | None]:
    states: list[State] = []
    loop_to = None
    for message in found:
        if message.code == 2217 and (match := _STATE.match(message.text)):
            action = _ACTION.match(match[2])
            name = action[1] if action and not match[2].startswith("Initial predicate") else ""
            states.append(State(name, parse_state(match[3])))
        elif message.code == 2122 and (number := re.match(r"(\d+): Back to state", message.text)):
            loop_to = int(number[1]) - 1
    return tuple(states), loop_to


@cache
def _parser() -> Lark:
    return grammars.lark_parser("tla_value")


def parse_state(text: str) -> dict[str, TlaValue]:
    """The variables of a state as TLC prints it; EngineError if it cannot be read."""
    try:
        parsed: dict[str, TlaValue] = _Values().transform(_parser().parse(text))
    except UnexpectedInput as failure:
        raise EngineError(f"a state that TLC printed cannot be read: {text[:200]!r}") from failure
    return parsed


def _present(items: tuple[Any, ...]) -> list[Any]:
    return [] if items == (None,) else list(items)


@v_args(inline=True)
class _Values(Transformer_NonRecursive[Any, Any]):
    def state(self, *conjuncts: tuple[str, TlaValue]) -> dict[str, TlaValue]:
        return dict(conjuncts)

    def conjunct(self, name: Token, value: TlaValue) -> tuple[str, TlaValue]:
        return str(name), value

    field = conjunct

    def integer(self, token: Token) -> int:
        return int(token)

    def string(self, token: Token) -> str:
        return str(token)[1:-1]

    def true(self) -> bool:
        return True

    def model_value(self, _name: Token) -> None:
        return None

    def false(self) -> bool:
        return False

    def set(self, *items: TlaValue) -> frozenset[TlaValue]:
        return frozenset(_present(items))

    def sequence(self, *items: TlaValue) -> tuple[TlaValue, ...]:
        return tuple(_present(items))

    def record(self, *fields: tuple[str, TlaValue]) -> dict[str, TlaValue]:
        return dict(fields)

    def mapping(self, key: TlaValue, value: TlaValue) -> tuple[TlaValue, TlaValue]:
        return key, value

    def function(self, *mappings: tuple[TlaValue, TlaValue]) -> dict[TlaValue, TlaValue]:
        return dict(mappings)
