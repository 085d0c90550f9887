"""Reader of scoped CUDA: text to :mod:`scopec.frontends.c.syntax.tree`, with grammar/cuda.lark."""

from __future__ import annotations

import re
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, cast

from scopec.base import grammars
from scopec.base.diagnostics import Code, error
from scopec.base.lalr import Parser, Token
from scopec.base.resources import resource
from scopec.base.source import Source, Span
from scopec.frontends.c.syntax import tree
from scopec.frontends.c.syntax.build import Builder
from scopec.frontends.parse import acceptable, unexpected
from scopec.frontends.scoped.out_of_subset import out_of_subset, way_to_clang
from scopec.frontends.scoped.syntax.scan import blank, scan
from scopec.frontends.scoped.syntax.syntax_errors import RESERVED, describe
from scopec.frontends.scoped.syntax.type_names import terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lark import Lark

#: The most tokens of an expression, and what stands between two.  What is longer would take minutes to read, and
#: nests too deeply for what comes after.
_LONGEST = 10_000
_SEPARATORS = frozenset({";", ",", "{", "}"})
#: A line for the preprocessor, and what it may be.
_LINE = re.compile(r"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
#: A name that is too long for a file is none of a header.
_HARMLESS = re.compile(r"\s*#\s*(?:pragma\s+(?:once|unroll\b[^#]*)|include\s*<(?P<header>[^>]{,63})>|)\s*")
#: Headers that come with clang.
_OF_C = {f"{name}.h" for name in ("float", "limits", "stdarg", "stdbool", "stddef", "stdint")}
#: A comment that a compiler continues.
_SPLICED = re.compile(r"//[^\n]*(\\)[ \t]+\n")

_source: ContextVar[Source] = ContextVar("_source")


class _Finish:
    """Gives names of types and templates their terminals."""

    always_accept = grammars.ALWAYS_ACCEPTED["cuda"]

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        length = 0
        before = ""
        for token in stream:
            length = 0 if token in _SEPARATORS else length + 1
            if length > _LONGEST:
                raise error(Code.TOO_LARGE, "an expression or statement nests too deeply", _at(token), "split it up")
            if token.type == "NAME":
                if token in RESERVED and before != "expect":  # there it is a misspelt question
                    raise out_of_subset(f"`{token}` is", _at(token))
                if before not in (".", "->"):
                    token.type = terminal(str(token))
            before = str(token)
            yield token


def _at(token: Token) -> Span:
    return _source.get().span(token.start_pos, token.end_pos)


@cache
def parser() -> Parser:
    """The parser for both start symbols, ``program`` and ``directives``."""
    return grammars.parser("cuda", _Finish())


@cache
def _lark_parser() -> Lark:
    return grammars.lark_parser("cuda", _Finish())


def read(source: Source) -> tree.File:
    """Parse a file; raises InputError at the first place that is not in the language."""
    scanned = scan(source)
    if (spliced := _SPLICED.search(source.text)) is not None:
        raise out_of_subset("a comment that may go on is", source.span(*spliced.span(1)))
    items = _parse(source, _without_lines(source, scanned.code), "program")
    return tree.File(source.name, items, read_directives(source, scanned.directives))


def read_directives(source: Source, text: str) -> tuple[tree.Directive, ...]:
    """The directives in the text of the ``//@`` comments of a file, in which everything else is blank."""
    return _parse(source, text, "directives")


def _without_lines(source: Source, code: str) -> str:
    """Program text with lines for the preprocessor blank; InputError for one that changes what the program is."""
    for line in _LINE.finditer(code):
        harmless = _HARMLESS.fullmatch(line.group())
        header = harmless["header"] if harmless is not None else None
        if harmless is None or (header and header not in _OF_C and not (resource("shims") / header).is_file()):
            what = "a header that scopec does not have is" if header else "this line for the preprocessor is"
            start = line.end() - len(line.group().lstrip())
            raise out_of_subset(what, source.span(start, line.end()))
    return _LINE.sub(lambda line: blank(line.group()), code)


def _parse(source: Source, text: str, start: str) -> tuple[Any, ...]:
    token = _source.set(source)
    try:
        nodes = parser().parse(text, start)
        if nodes is None:
            _syntax_error(source, text, start)
        return cast("tuple[Any, ...]", Builder(source).build(nodes))
    finally:
        _source.reset(token)


def _syntax_error(source: Source, text: str, start: str) -> NoReturn:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    at_fault = unexpected(_lark_parser(), text, start)
    found: str | None
    match at_fault:
        case UnexpectedToken(token=token) if token.type == "$END":
            offset, found = len(text.rstrip()), None
        case UnexpectedToken(token=token):
            offset, found = token.start_pos or 0, str(token)
        case UnexpectedCharacters():
            offset = cast(int, at_fault.pos_in_stream)
            found = text[offset]
        case _:
            raise at_fault
    in_directive = start == "directives"
    said = describe(text, offset, found, acceptable(at_fault), _lark_parser(), in_directive=in_directive)
    at, length = said.place or (offset, len(found or ""))
    help_ = said.help if said.help or in_directive else f"if it is C++, {way_to_clang()}"
    raise error(said.code, said.message, source.span(at, at + length), help_) from None
