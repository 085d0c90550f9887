"""Reader of scoped CUDA: text to :mod:`scopec.frontends.scoped.syntax.tree`, with grammar/cuda.lark."""

from __future__ import annotations

import re
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, cast

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.lark import PostLex

from scopec.base import grammars
from scopec.base.diagnostics import Code, error
from scopec.base.resources import resource
from scopec.base.source import Source, Span
from scopec.frontends.parse import acceptable
from scopec.frontends.scoped.beyond import beyond, way_to_clang
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.build import Builder
from scopec.frontends.scoped.syntax.scan import blank, scan
from scopec.frontends.scoped.syntax.syntax_errors import RESERVED, describe
from scopec.frontends.scoped.syntax.type_names import terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

#: How many tokens an expression may have, and what stands between two.  What is longer would take minutes to read, and
#: nests too deeply for what comes after.
_LONGEST = 10_000
_SEPARATORS = frozenset({";", ",", "{", "}"})
#: A line for the preprocessor, and what it may be.
_LINE = re.compile(r"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
_HARMLESS = re.compile(r"\s*#\s*(?:pragma\s+(?:once|unroll\b[^#]*)|include\s*<(?P<header>[^>]*)>|)\s*")
#: Headers that come with clang.
_OF_C = {f"{name}.h" for name in ("float", "limits", "stdarg", "stdbool", "stddef", "stdint")}
#: A comment that a compiler continues.
_SPLICED = re.compile(r"//[^\n]*(\\)[ \t]+\n")

_source: ContextVar[Source] = ContextVar("_source")


class _Finish(PostLex):
    """Gives names of types and templates their terminals."""

    always_accept = ("NAME",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        length = 0
        before = ""
        for token in stream:
            length = 0 if token in _SEPARATORS else length + 1
            if length > _LONGEST:
                raise error(Code.TOO_LARGE, "an expression or statement nests too deeply", _at(token), "split it up")
            if token.type == "NAME":
                if token in RESERVED and before != "expect":  # there it is a misspelt question
                    raise beyond(f"`{token}` is", _at(token))
                if before not in (".", "->"):
                    token.type = terminal(str(token))
            before = str(token)
            yield token


def _at(token: Token) -> Span:
    return Span.of_token(_source.get().name, token)


@cache
def parser() -> Lark:
    """The parser for both start symbols, ``program`` and ``directives``."""
    return grammars.parser("cuda", postlex=_Finish())


def read(source: Source) -> tree.File:
    """Parse a file; raises InputError at the first place that is not in the language."""
    scanned = scan(source)
    if (spliced := _SPLICED.search(source.text)) is not None:
        raise beyond("a comment that may go on is", source.span(*spliced.span(1)))
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
            raise beyond(what, source.span(start, line.end()))
    return _LINE.sub(lambda line: blank(line.group()), code)


def _parse(source: Source, text: str, start: str) -> tuple[Any, ...]:
    token = _source.set(source)
    try:
        return cast("tuple[Any, ...]", Builder(source).transform(parser().parse(text, start=start)))
    except UnexpectedInput as unexpected:
        _syntax_error(source, text, unexpected, start)
    finally:
        _source.reset(token)


def _syntax_error(source: Source, text: str, unexpected: UnexpectedInput, start: str) -> NoReturn:
    found: str | None
    match unexpected:
        case UnexpectedToken(token=Token() as token) if token.type == "$END":
            offset, found = len(text.rstrip()), None
        case UnexpectedToken(token=Token() as token):
            offset, found = token.start_pos or 0, str(token)
        case UnexpectedCharacters():
            offset = cast(int, unexpected.pos_in_stream)
            found = text[offset]
        case _:
            raise unexpected
    in_directive = start == "directives"
    said = describe(text, offset, found, acceptable(unexpected), parser(), in_directive=in_directive)
    at, length = said.place or (offset, len(found or ""))
    help_ = said.help if said.help or in_directive else f"if it is C++, {way_to_clang()}"
    raise error(said.code, said.message, source.span(at, at + length), help_) from None
