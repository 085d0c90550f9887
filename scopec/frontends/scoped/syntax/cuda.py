"""Reader of scoped CUDA: text to :mod:`scopec.frontends.scoped.syntax.tree`, with grammar/cuda.lark."""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, cast

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.lark import PostLex

from scopec.base import grammars
from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.base.source import Source, Span
from scopec.frontends.language import beyond
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.build import Builder
from scopec.frontends.scoped.syntax.scan import blank, scan
from scopec.frontends.scoped.syntax.syntax_errors import INSTEAD, RESERVED, describe
from scopec.frontends.scoped.syntax.type_names import Names, names_of, without_repetition

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class _Text:
    """A text to parse, everything else of its source blank, and what its names are."""

    source: Source
    text: str
    names: Names


#: How many tokens an expression may have, and what stands between two.  What is longer would take minutes to read, and
#: nests too deeply for what comes after.
_LONGEST = 10_000
_SEPARATORS = frozenset({";", ",", "{", "}"})
_OPENS = re.compile(r"\s*<")
#: A line for the preprocessor.
_LINE = re.compile(r"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)

_current: ContextVar[_Text] = ContextVar("_current")


class _Finish(PostLex):
    """Gives names of types and templates their terminals, and parts each ``>>`` that closes two argument lists."""

    always_accept = ("NAME",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        current = _current.get()
        length = lists = 0
        before = ""
        for token in stream:
            length = 0 if token in _SEPARATORS else length + 1
            if length > _LONGEST:
                at = Span.of_token(current.source.name, token)
                raise error(Code.TOO_LARGE, "an expression or statement nests too deeply", at, "split it up")
            if token.type == "NAME":
                self._name(token, before, current)
            before = str(token)
            if token.type in ("TEMPLATE_NAME", "FUNCTION_TEMPLATE"):
                lists += 1
            if lists and not token.strip(">"):
                lists = max(0, lists - len(token))
                yield from _one_by_one(token)
            else:
                yield token

    @staticmethod
    def _name(token: Token, before: str, current: _Text) -> None:
        if before not in (".", "->"):
            start, end = cast(int, token.start_pos), cast(int, token.end_pos)
            opens = _OPENS.match(current.text, end) is not None
            token.type = current.names.terminal(str(token), start, opens=opens)
        word = token.removeprefix("::")
        if word in RESERVED:
            at = Span.of_token(current.source.name, token)
            raise error(Code.OUTSIDE_SUBSET, RESERVED[word], at, INSTEAD.get(word))


def _one_by_one(token: Token) -> Iterator[Token]:
    start, column = cast(int, token.start_pos), cast(int, token.column)
    for i, mark in enumerate(token):
        yield Token("GREATER", mark, start + i, token.line, column + i, token.line, column + i + 1, start + i + 1)


@cache
def parser() -> Lark:
    """The parser for both start symbols, ``program`` and ``directives``."""
    return grammars.parser("cuda", postlex=_Finish())


def read(source: Source) -> tree.File:
    """Parse a file; raises InputError at the first place that is not in the language."""
    found = beyond(source)
    if found is not None:
        span, what = found
        help_ = "clang reads it: leave out `--reader scoped` and `//@ language scoped;`"
        raise error(Code.OUTSIDE_SUBSET, f"{what} is C++ beyond the scoped language", span, help_)
    scanned = scan(source)
    code = _without_lines(source, scanned.code)
    names = names_of(code)
    items = _parse(_Text(source, without_repetition(code), names), "program")
    return tree.File(source.name, items, _directives(source, scanned.directives, names))


def read_directives(source: Source, text: str, code: str = "") -> tuple[tree.Directive, ...]:
    """The directives in the text of the ``//@`` comments of a file, which may use the names of types of its ``code``.

    In both texts everything else is blank.
    """
    return _directives(source, text, names_of(code))


def _directives(source: Source, text: str, names: Names) -> tuple[tree.Directive, ...]:
    return _parse(_Text(source, without_repetition(text), replace(names, declared=frozenset())), "directives")


def _without_lines(source: Source, code: str) -> str:
    """Program text with lines for the preprocessor blank."""
    for line in _LINE.finditer(code):
        if re.match(r"\s*#\s*pragma\s+pack\b", line.group()):
            message = "`#pragma pack` is outside the modelled subset"
            help_ = "leave it out: `//@ storage x = …, align = 1` says how an object lies in memory"
            start = line.start() + line.group().index("#")
            raise error(Code.OUTSIDE_SUBSET, message, source.span(start, start + len(line.group().strip())), help_)
    return _LINE.sub(lambda line: blank(line.group()), code)


def _parse(text: _Text, start: str) -> tuple[Any, ...]:
    token = _current.set(text)
    try:
        parsed = parser().parse(text.text, start=start)
        return cast("tuple[Any, ...]", Builder(text.source).transform(parsed))
    except UnexpectedInput as unexpected:
        _syntax_error(text, unexpected, start)
    finally:
        _current.reset(token)


def _syntax_error(current: _Text, unexpected: UnexpectedInput, start: str) -> NoReturn:
    found: str | None
    match unexpected:
        case UnexpectedToken(token=Token() as token) if token.type == "$END":
            offset, found = len(current.text.rstrip()), None
        case UnexpectedToken(token=Token() as token):
            offset, found = token.start_pos or 0, str(token)
        case UnexpectedCharacters():
            offset = cast(int, unexpected.pos_in_stream)
            found = current.text[offset]
        case _:
            raise unexpected
    wanted = getattr(unexpected, "expected", None) or getattr(unexpected, "allowed", None) or set()
    said = describe(current.text, offset, found, set(wanted), in_directive=start == "directives")
    at, length = said.place or (offset, len(found or ""))
    raise error(said.code, said.message, current.source.span(at, at + length), said.help) from None
