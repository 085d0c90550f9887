"""A module in lines that fit."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The length of a line at most.
WIDTH = 110
_TOKEN = re.compile(r'"[^"]*"|<<|>>|[(\[{]|[)\]}]|[^ "()\[\]{}<>]+|[<>]|(?P<space> +)')
#: The bullets at the begin of a line: what continues it stands to the right of them, so that it is part of their item.
_BULLETS = re.compile(r" *(?:(?:/\\|\\/) +)*")
#: The places where a line is broken first, among those in equally many brackets: before one, or after the other.
_BEFORE = {"THEN": 1, "ELSE": 1, "IN": 1, "@@": 1, "\\cup": 2}
_AFTER = {",": 0, "/\\": 2, "\\/": 2, "=>": 2, "+": 2, ":": 3, "|->": 4, "==": 4}


def fitted(text: str) -> str:
    """A module whose lines are at most WIDTH long, as far as they have a place to be broken."""
    return "".join(f"{line}\n" for whole in text.splitlines() for line in _fitted(whole))


def _fitted(line: str) -> Iterator[str]:
    if len(line) <= WIDTH or line.startswith(("-", "(*")):
        yield line
    elif line.lstrip().startswith("\\*"):
        lead = line[: line.index("\\*")] + "\\* "
        yield from textwrap.wrap(line.strip()[3:], WIDTH, initial_indent=lead, subsequent_indent=f"{lead}  ")
    else:
        yield from _broken(line)


def _broken(line: str) -> Iterator[str]:
    """A line broken where the fewest brackets are open."""
    bullets = _BULLETS.match(line)
    assert bullets is not None
    indent = " " * (bullets.end() + 2)
    places, begin, lead = list(_places(line, bullets.end())), 0, ""
    while len(lead) + len(line) - begin > WIDTH:
        ahead = [place for place in places if place[2] > begin]
        fits = [place for place in ahead if len(lead) + place[2] - begin <= WIDTH]
        if not ahead:
            break
        _, _, at = min(fits, key=lambda place: (*place[:2], -place[2])) if fits else ahead[0]
        yield lead + line[begin:at]
        begin, lead = at + 1, indent
    yield lead + line[begin:]


def _places(line: str, begin: int) -> Iterator[tuple[int, int, int]]:
    """The spaces at which a line may be broken: how many brackets are open there, how bad it is, and which it is."""
    depth, before = 0, ""
    for token in _TOKEN.finditer(line, begin):
        word = token.group()
        if token["space"] is None:
            depth += (word in "([{<<" and word != "<") - (word in ")]}>>" and word != ">")
            before = word
            continue
        following = line[token.end() :].split(" ", 1)[0]
        rank = _BEFORE.get(following, _AFTER.get("," if before.endswith(",") else before))
        if rank is not None:
            yield depth, 5 if before.endswith(",") and not depth else rank, token.end() - 1
