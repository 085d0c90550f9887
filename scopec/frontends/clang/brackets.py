"""Brackets of C++ text without comments and literals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGN = re.compile(r"[()\[\]{}<>,;]")


def nested(code: str, start: int = 0, brackets: str = "()[]{}") -> Iterator[tuple[int, str, int]]:
    """The brackets, commas and semicolons from a position: where each is, and how many brackets are open around it.

    Those of ``brackets`` count; below 0 is what closes one that is opened before the position.
    """
    depth = 0
    for match in _SIGN.finditer(code, start):
        sign = match[0]
        depth -= sign in brackets[1::2]
        yield match.start(), sign, depth
        depth += sign in brackets[::2]


def after_group(code: str, start: int, brackets: str) -> int:
    """The position after the first group in brackets that begins at a position or later; the end if it is not whole."""
    signs = nested(code, start, brackets)
    return next((at + 1 for at, sign, depth in signs if sign == brackets[1] and depth == 0), len(code))
