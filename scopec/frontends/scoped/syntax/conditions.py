"""Conditions of ``#if`` ([cpp.cond]): integer expressions over preprocessing tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scopec.program.types import ULONG, ArithmeticFault, IntType, binary

_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
_LARGEST = IntType("long", 64, signed=True)


def evaluate(tokens: Sequence[str]) -> int:
    """The value of a condition; names that are left stand for 0 ([cpp.cond]/11).

    Raises ValueError, with the end of a sentence about the condition, if it is none.
    """
    reader = _Reader(list(tokens))
    value = reader.conditional()
    if reader.tokens:
        raise ValueError(f"has a superfluous `{reader.tokens[0]}`")
    return value


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def take(self, *wanted: str) -> str | None:
        if self.tokens and self.tokens[0] in wanted:
            return self.tokens.pop(0)
        return None

    def conditional(self) -> int:
        condition = self.level(0)
        if self.take("?") is None:
            return condition
        then = self.conditional()
        if self.take(":") is None:
            raise ValueError("lacks a `:`")
        otherwise = self.conditional()
        return then if condition else otherwise

    def level(self, number: int) -> int:
        if number == len(_LEVELS):
            return self.unary()
        left = self.level(number + 1)
        while (op := self.take(*_LEVELS[number])) is not None:
            right = self.level(number + 1)
            try:
                left = binary(op, left, right, _LARGEST)
            except ArithmeticFault:
                left = 0
        return left

    def unary(self) -> int:
        match self.take("!", "-", "+", "~", "("):
            case "!":
                return int(not self.unary())
            case "-":
                return -self.unary()
            case "+":
                return self.unary()
            case "~":
                return ~self.unary()
            case "(":
                value = self.conditional()
                if self.take(")") is None:
                    raise ValueError("lacks a `)`")
                return value
            case _:
                return self.primary()

    def primary(self) -> int:
        if not self.tokens:
            raise ValueError("is not finished")
        token = self.tokens.pop(0)
        if re.fullmatch(r"[A-Za-z_]\w*", token):
            if self.tokens and self.tokens[0] == "(":
                raise ValueError(f"calls `{token}`, which is no macro")
            return int(token == "true")
        number = re.fullmatch(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*", token)
        if number is None:
            raise ValueError(f"has an unexpected `{token}`")
        digits = number.group(1).replace("'", "")
        octal = len(digits) > 1 and digits.isdecimal() and digits[0] == "0"
        try:
            return ULONG.wrap(int(digits, 8 if octal else 0))
        except ValueError:
            raise ValueError(f"has a bad number `{token}`") from None
