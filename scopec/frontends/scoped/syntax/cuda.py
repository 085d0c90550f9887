"""Reader of scoped CUDA: text to :mod:`scopec.frontends.scoped.syntax.tree`, with grammar/cuda.lark."""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, cast

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken
from lark.lark import PostLex

from scopec.base import grammars
from scopec.base.diagnostics import Code, error
from scopec.base.source import Source, Span
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.build import Builder
from scopec.frontends.scoped.syntax.preprocess import Preprocessed, differs_on_device, preprocess
from scopec.frontends.scoped.syntax.scan import scan
from scopec.frontends.scoped.syntax.syntax_errors import INSTEAD, RESERVED, describe
from scopec.frontends.scoped.syntax.type_names import Marked, Names

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class _Text:
    """A text to parse: its source, where its characters come from, and what its names are."""

    source: Source
    original: str
    preprocessed: Preprocessed
    marked: Marked

    def place(self, start: int, end: int) -> tuple[int, int]:
        return self.preprocessed.place(start, end)


#: How many tokens an expression may have, and what stands between two.  What is longer would take minutes to read, and
#: nests too deeply for what comes after.
_LONGEST = 10_000
#: `new (p) T`, not `new T` nor `new (T)`: a lone type in the parentheses is rare.
_PLACEMENT_NEW = re.compile(r"(?:::\s*)?new\s*\(")
_SEPARATORS = frozenset({";", ",", "{", "}"})

_current: ContextVar[_Text] = ContextVar("_current")


class _Finish(PostLex):
    """Gives names of types and templates their terminals, and tokens their places in the file."""

    always_accept = ("NAME",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        text = _current.get()
        length = 0
        for token in stream:
            offset = cast(int, token.start_pos)
            length = 0 if token in _SEPARATORS else length + 1
            if length > _LONGEST:
                at = Span.of_token(text.source.name, _placed(token, text))
                raise error(Code.TOO_LARGE, "an expression or statement nests too deeply", at, "split it up")
            if token.type == "NAME":
                role = text.marked.roles.get(offset)
                if role is not None:
                    token.type = role.value
                elif _PLACEMENT_NEW.match(text.marked.text, offset):
                    token.type = "PLACEMENT_NEW"
                elif str(token).removeprefix("::") in RESERVED:
                    raise _ReservedWordError(_placed(token, text))
            if offset in text.marked.parted:
                for i in range(len(token)):
                    yield _placed(Token("GREATER", ">", offset + i, end_pos=offset + i + 1), text)
            else:
                yield _placed(token, text)


def _placed(token: Token, text: _Text) -> Token:
    """The token at its place in the file (in the text it may stand elsewhere, after macros)."""
    start = cast(int, token.start_pos)
    token.start_pos, token.end_pos = text.place(start, cast(int, token.end_pos))
    token.line, token.column = text.source.position(token.start_pos)
    token.end_line, token.end_column = text.source.position(token.end_pos)
    return token


class _ReservedWordError(Exception):
    def __init__(self, token: Token) -> None:
        super().__init__(str(token))
        self.token = token


@cache
def parser() -> Lark:
    """The parser for both start symbols, ``program`` and ``directives``."""
    return grammars.parser("cuda", postlex=_Finish())


def read(source: Source) -> tree.File:
    """Parse a file; raises InputError at the first place that is not in the language."""
    scanned = scan(source)
    names = Names()
    host_items = None
    if differs_on_device(scanned.code):
        host_items = tuple(_program(source, scanned.code, Names(), device=False))
    items = _program(source, scanned.code, names, device=True)
    return tree.File(source.name, tuple(items), _directives(source, scanned.directives, names), host_items)


def read_directives(source: Source, text: str, code: str = "") -> tuple[tree.Directive, ...]:
    """The directives in the text of the ``//@`` comments of a file, which may use the names of types of its ``code``.

    In both texts everything else is blank.
    """
    names = Names()
    names.mark(code)
    return _directives(source, text, names)


def _directives(source: Source, text: str, names: Names) -> tuple[tree.Directive, ...]:
    return tuple(_parse(source, text, Preprocessed.verbatim(text), names, "directives"))


def _program(source: Source, code: str, names: Names, *, device: bool) -> list[Any]:
    return _parse(source, code, preprocess(source, code, device=device), names, "program")


def _parse(source: Source, original: str, preprocessed: Preprocessed, names: Names, start: str) -> list[Any]:
    if not preprocessed.text.strip():
        return []
    text = _Text(source, original, preprocessed, names.mark(preprocessed.text))
    token = _current.set(text)
    try:
        parsed = parser().parse(text.marked.text, start=start)
        return list(Builder(source).transform(parsed))
    except _ReservedWordError as reserved:
        span = Span.of_token(source.name, reserved.token)
        word = str(reserved.token).removeprefix("::")
        raise error(Code.OUTSIDE_SUBSET, RESERVED[word], span, INSTEAD.get(word)) from None
    except UnexpectedInput as unexpected:
        _syntax_error(text, unexpected, start)
    finally:
        _current.reset(token)


def _syntax_error(text: _Text, unexpected: UnexpectedInput, start: str) -> NoReturn:
    found: str | None
    source, original = text.source, text.original
    match unexpected:
        case UnexpectedToken(token=Token() as token) if token.type == "$END":
            offset, length, found = len(original.rstrip()), 0, None
        case UnexpectedToken(token=Token() as token):
            offset, length, found = token.start_pos or 0, len(token), str(token)
        case UnexpectedCharacters():
            position = cast(int, unexpected.pos_in_stream)
            offset, length, found = text.place(position, position + 1)[0], 1, text.marked.text[position]
        case UnexpectedEOF():
            offset, length, found = len(original.rstrip()), 0, None
        case _:
            raise unexpected
    wanted = getattr(unexpected, "expected", None) or getattr(unexpected, "allowed", None) or set()
    said = describe(original, offset, found, set(wanted), in_directive=start == "directives")
    at = said.offset if said.offset is not None else offset
    end = at + (said.length if said.offset is not None else length)
    raise error(said.code, said.message, source.span(at, end), said.help) from None
