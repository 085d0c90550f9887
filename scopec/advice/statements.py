"""Statements of a C++ text, as far as one has to know them to put another beside one: where each begins and ends.

Only brackets, semicolons and words that begin a statement are looked at: who changes a text by these reads it again.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from scopec.explain.fixes import Replacement
from scopec.frontends.scoped.syntax.scan import blank, scan, without_literals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.base.source import Source

_PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
_DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+\w+(?:\([^)\n]*\))?")
_WORD = re.compile(r"(?:if|while|for|switch|else|do|case|default|return|goto|break|continue)\b")
_HEAD = re.compile(r"(else\s+)?(if|while|for)\s*(?:constexpr\s*)?\(")


@lru_cache(maxsize=8)
def bare(source: Source) -> str:
    """The program text at the same positions, without comments, literals and directives of the preprocessor."""
    code = without_literals(scan(source).code)
    return _PREPROCESSOR.sub(lambda found: blank(found.group()), code)


def with_macros(source: Source) -> str:
    """The same with what macros stand for: of a `#define` all but its beginning."""
    code = without_literals(scan(source).code)

    def kept(found: re.Match[str]) -> str:
        begins = _DEFINE.match(found.group())
        if begins is None:
            return blank(found.group())
        return blank(begins.group()) + found.group()[begins.end() :].replace("\\", " ")

    return _PREPROCESSOR.sub(kept, code)


def beginning(code: str, at: int) -> int:
    """The first character of the statement that one at ``at`` belongs to, with the conditions and loops around it that
    have no braces."""
    start, depth = 0, 0
    for place, letter in enumerate(code[:at]):
        depth += (letter in "([") - (letter in ")]")
        if letter in ";{}" and depth == 0:
            start = place + 1
    return _next(code, start)


def ending(code: str, at: int) -> int | None:
    """The place behind the semicolon that ends a statement without braces; None if there is no such."""
    depth = 0
    for place in range(at, len(code)):
        letter = code[place]
        depth += (letter in "([") - (letter in ")]")
        if depth <= 0 and letter in "{}":
            return None
        if depth <= 0 and letter == ";":
            return place + 1
    return None


def nested(code: str) -> Iterator[tuple[Sequence[str], str, int]]:
    """Before each character, and at the end: what stands before each brace that is open, from the outside in; what
    stands since a statement ended or began; the number of round brackets that are open."""
    found: list[str] = []
    head, depth = "", 0
    yield found, head, depth
    for letter in code:
        depth += (letter == "(") - (letter == ")")
        if letter == "{":
            found.append(head)
        elif letter == "}" and found:
            found.pop()
        head = "" if letter in "{}" or (letter == ";" and not depth) else head + letter
        yield found, head, depth


def blocks(code: str, at: int) -> Sequence[str]:
    """What stands before each brace that is open at a place, from the outside in."""
    return next(islice(nested(code), at, None))[0]


def before(source: Source, at: int, statement: str) -> Sequence[Replacement] | None:
    """A statement before the one that a character belongs to; None where it cannot be put there."""
    code = bare(source)
    start = beginning(code, at)
    head = _HEAD.match(code, start)
    if head is None:
        plain = _WORD.match(code, start)
        return [put(source, start, statement)] if plain is None or plain.group() == "return" else None
    if at < (close := _close(code, head.end())):
        return None if head[1] else [put(source, start, statement)]
    return _wrapped(source, _next(code, close), f"{statement} ", "")


def after(source: Source, at: int, statement: str) -> Sequence[Replacement] | None:
    """A statement after the one that a character belongs to, or where its condition leads; None where it cannot be put
    there."""
    code = bare(source)
    start = beginning(code, at)
    head = _HEAD.match(code, start)
    if head is None:
        end = ending(code, at)
        return None if end is None or _WORD.match(code, start) else [behind(source, start, end, statement)]
    body = _next(code, close := _close(code, head.end()))
    if at >= close:
        return _wrapped(source, body, "", f" {statement}")
    if head[2] == "if":
        return [_inside(source, body, statement)] if code[body] == "{" else _wrapped(source, body, f"{statement} ", "")
    empty = body + 1 if code[body] == ";" else _next(code, body + 1) + 1 if code[body] == "{" else None
    if empty is None or code[empty - 1] not in ";}" or head[1]:
        return None
    return [behind(source, start, empty, statement)]


def put(source: Source, at: int, statement: str) -> Replacement:
    """A statement before the one that begins at a place: in a line of its own where that one begins its line."""
    line, column = source.position(at)
    indent = source.line(line)[: column - 1]
    if indent.strip():
        return Replacement(source.span(at, at), f"{statement} ")
    start = source.offset(line, 1)
    return Replacement(source.span(start, start), f"{indent}{statement}\n")


def behind(source: Source, start: int, end: int, statement: str) -> Replacement:
    """A statement behind one that ends at a place; it is as far from the margin as the one that begins at ``start``."""
    line, first = source.position(end)[0], source.line(source.position(start)[0])
    indent = first[: len(first) - len(first.lstrip())]
    if bare(source)[end : source.offset(line, 1) + len(source.line(line))].strip() or line == len(source.lines):
        return Replacement(source.span(end, end), f" {statement}")
    below = source.offset(line + 1, 1)
    return Replacement(source.span(below, below), f"{indent}{statement}\n")


def _inside(source: Source, brace: int, statement: str) -> Replacement:
    following = _next(bare(source), brace + 1)
    if "\n" in source.text[brace:following]:
        return put(source, following, statement)
    return Replacement(source.span(brace + 1, brace + 1), f" {statement}")


def _wrapped(source: Source, body: int, first: str, last: str) -> Sequence[Replacement] | None:
    """A statement that a condition is about, and another, as a block."""
    code = bare(source)
    end = None if _WORD.match(code, body) and not code.startswith("return", body) else ending(code, body)
    if end is None:
        return None
    return [Replacement(source.span(body, body), f"{{ {first}"), Replacement(source.span(end, end), f"{last} }}")]


def _next(code: str, at: int) -> int:
    """The first character from a place on that is no white space."""
    return at + len(code[at:]) - len(code[at:].lstrip())


def _close(code: str, at: int) -> int:
    """The place behind the bracket that closes the one before ``at``."""
    depth = 1
    while depth and at < len(code):
        depth += (code[at] == "(") - (code[at] == ")")
        at += 1
    return at
