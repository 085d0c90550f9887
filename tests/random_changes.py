"""Programs a small change away from others: another order or scope, another grid, a statement less, or two exchanged.

A change keeps to the text: what comes of it need not be a program.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ORDER = re.compile(r"(?<=\bmemory_order[_:])(:?)(?:relaxed|acquire|release|acq_rel|seq_cst)\b")
_SCOPE = re.compile(r"(?<=\bthread_scope_)(?:system|device|block)\b")
_LAUNCH = re.compile(r"(?<=<<<)(\d+), (\d+)(?=[,>])")
#: A statement that is a line, maybe behind a condition.
_STATEMENT = re.compile(r"(?P<indent> +)(?P<condition>(?:if \([^{};]*\) |while \([^{};]*\) |else )?)(?P<rest>[^;{}]*;)")


def changes(text: str) -> Iterator[str]:
    """Every change of a program's text, in order of the places."""
    lines = text.split("\n")
    codes = [line if line.startswith("//@ launch") else line.partition("//")[0].rstrip() for line in lines]
    for number, code in enumerate(codes):
        before, after = lines[:number], lines[number + 1 :]
        for changed in _changed(code):
            yield "\n".join((*before, changed, *after))
        if all(map(_STATEMENT.fullmatch, codes[number : number + 2])) and after:
            yield "\n".join((*before, after[0], code, *after[1:]))


def _changed(code: str) -> Iterator[str]:
    for found in _ORDER.finditer(code):
        yield from _others(code, found, [found[1] + order for order in ("relaxed", "acquire", "release", "seq_cst")])
    for found in _SCOPE.finditer(code):
        yield from _others(code, found, ["system", "device", "block"])
    for found in _LAUNCH.finditer(code):
        yield from _others(code, found, [f"{found[2]}, {found[1]}"])
    if one := _STATEMENT.fullmatch(code):
        yield f"{one['indent']}{one['condition']};"
        if one["condition"].startswith("if"):
            yield f"{one['indent']}{one['rest']}"


def _others(code: str, found: re.Match[str], words: list[str]) -> Iterator[str]:
    return (code[: found.start()] + word + code[found.end() :] for word in words if word != found[0])
