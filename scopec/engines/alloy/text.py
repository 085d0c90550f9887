"""Pieces of Alloy text, and a text in lines that fit."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: The length of a line at most.
WIDTH = 110
#: The places where a line is broken first: after an operator.
_BREAK = re.compile(r"(?<= [+&|=-]) |(?<=,) |(?<= =>) |(?<= and) |(?<= else) |(?<= or) |(?<= in) ")

_JOIN = re.compile(r"(?<=\.)(?=\()|(?=\.f_)")


@dataclass(frozen=True, slots=True)
class Named:
    """A function or predicate with its body; ``comment`` says what it is, or where it comes from."""

    name: str
    body: str
    type: str = ""
    comment: str = ""


def union(parts: Iterable[str]) -> str:
    """``a + b``; empty for no part."""
    return " + ".join(parts)


def parenthesised(parts: Iterable[str]) -> str:
    """``(a + b)``, or one part as it is."""
    listed = list(parts)
    return listed[0] if len(listed) == 1 else f"({union(listed)})"


def operand(expr: str) -> str:
    """An expression that may stand beside ``->`` and ``&``."""
    return f"({expr})" if " " in expr else expr


def disjunction(formulas: Iterable[str]) -> str:
    """``((f) or (g))``, or one formula as it is; false for none."""
    listed = list(formulas)
    if len(listed) < 2:
        return listed[0] if listed else "no Event"
    return f"({' or '.join(f'({f})' for f in listed)})"


def negation(formula: str) -> str:
    """``not f``, without two of them."""
    if " " not in formula:
        return f"not {formula}"
    return formula.removeprefix("not ") if re.fullmatch(r"not \w+", formula) else f"not ({formula})"


def fitted(text: str) -> str:
    """A specification whose lines are at most WIDTH long: a comment behind what is too long goes before it."""
    return "".join(f"{line}\n" for whole in text.splitlines() for line in _fitted(whole))


def _fitted(line: str) -> Iterator[str]:
    if len(line) <= WIDTH:
        yield line
        return
    code, _, comment = line.partition("-- ")
    indent = " " * (len(line) - len(line.lstrip()))
    if comment:
        yield from _wrapped(f"{indent}-- {comment}", WIDTH, f"{indent}--   ")
    line = indent
    for part in _BREAK.split(code.strip()):
        for piece in _pieces(part, WIDTH - len(indent) - 4):
            if line.strip() and len(line) + len(piece) >= WIDTH:
                yield line
                line = f"{indent}    "
            line += f" {piece}" if line.strip() else piece
    if line.strip():
        yield line


def _pieces(part: str, width: int) -> Iterator[str]:
    """A part in pieces that fit: between words, and, in a long chain of joins, after one."""
    for word in _wrapped(part, width):
        yield from [word] if len(word) <= width else _JOIN.split(word)


def _wrapped(text: str, width: int, following: str = "") -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=following, break_long_words=False, break_on_hyphens=False)
