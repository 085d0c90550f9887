"""Parses a part of a file with its grammar, and says where and why that fails."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from scopec.base.diagnostics import Code, InputError, error, suggestion
from scopec.base.grammars import parser

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Source
    from scopec.base.syntax import Builder

#: How terminals are named in messages; the others are shown as they are written.
_TERMINALS = {
    "NAME": "a name", "INT": "a number", "MINUS": "a number", "TYPE": "a type", "SPECIFIER": "a type",
    "_ATOMIC": "a type", "DOTTED": "an instruction", "SEMICOLON": "`;`", "LPAR": "`(`", "RPAR": "`)`", "LBRACE": "`{`",
    "RBRACE": "`}`", "LSQB": "`[`", "RSQB": "`]`", "COMMA": "`,`", "EQUAL": "`=`", "COLON": "`:`", "VBAR": "`|`",
    "AT": "`@`", "STAR": "`*`", "COMPARE": "a comparison", "AND": "`/\\`", "OR": "`\\/`", "IMPLIES": "`=>`",
    "NOT": "`~`", "PLUS": "`+`", "ARGUMENT": "an operand",
}  # fmt: skip


_WORD = re.compile(r"[A-Za-z_]\w*")
_LAST_WORD = re.compile(r"\b([A-Za-z_]\w*)\Z")
_CONNECTIVES = {"and": "/\\", "or": "\\/", "AND": "/\\", "OR": "\\/"}
_KEYWORDS = ("exists", "forall", "filter", "locations", "scopes")
_OUTSIDE = ("goto", "switch", "struct", "union", "enum", "typedef", "sizeof", "asm")


@cache
def _parser(grammar: str) -> Lark:
    return parser(grammar)


def parse(grammar: str, start: str, text: str, builder: Builder) -> Any:
    """What ``builder`` makes of a text; InputError at the first place that the grammar does not allow."""
    try:
        return builder.transform(_parser(grammar).parse(text, start=start))
    except UnexpectedInput as unexpected:
        raise _syntax_error(builder.source, text, unexpected) from None


def _syntax_error(source: Source, text: str, unexpected: UnexpectedInput) -> InputError:
    end = len(text.rstrip())
    offset, length, found = end, 0, "end of the file"
    match unexpected:
        case UnexpectedToken(token=Token() as token) if token.type != "$END":
            offset, length, found = token.start_pos or 0, len(token), f"`{short(str(token))}`"
        case UnexpectedCharacters():
            offset, length = cast(int, unexpected.pos_in_stream), 1
            found = f"`{short(text[offset])}`"
        case _:
            pass
    wanted = getattr(unexpected, "expected", None) or getattr(unexpected, "allowed", None) or set()
    message = f"unexpected {found}{expected(set(wanted), _TERMINALS, 6)}"
    return error(Code.SYNTAX, message, source.span(offset, offset + length), _help(text, offset, set(wanted)))


def _help(text: str, offset: int, wanted: set[str]) -> str | None:
    """What is probably meant: a `;` at the end of a line, a clause's keyword, an operator of conditions."""
    if text[max(0, offset - 1) : offset + 1] in ("->", "::"):
        return "members and namespaces are outside the modelled subset of litmus files"
    code = text[:offset].rstrip()
    if re.compile(r"exists|forall").match(text, offset) and "SEMICOLON" in wanted:
        return "a file has one final clause: join two with `/\\` or `\\/`"
    if "SEMICOLON" in wanted and code[-1:] not in ("", ";", "{", "}") and "\n" in text[len(code) : offset]:
        return f"is a `;` missing at the end of line {code.count(chr(10)) + 1}?"
    if "SEMICOLON" in wanted and offset >= len(text.rstrip()) and code:
        return "is a `;` missing at the end?"
    here, before = _WORD.match(text, offset), _LAST_WORD.search(code.rstrip("( "))
    if here and here.group() in _CONNECTIVES:
        return f"did you mean `{_CONNECTIVES[here.group()]}`?"
    if before and before.group(1) in _OUTSIDE:
        return f"`{before.group(1)}` is outside the modelled subset"
    for word in (before.group(1) if before else "", here.group() if here else ""):
        if word and word not in _KEYWORDS and (meant := suggestion(word, _KEYWORDS)):
            return meant
    return None


def short(text: str) -> str:
    """A text as a message shows it: its beginning, on one line."""
    shown = text if len(text) <= 40 else text[:37] + "…"
    return shown if shown.isprintable() else shown.encode("unicode_escape").decode()


def expected(wanted: set[str], terminals: Mapping[str, str], most: int) -> str:
    """``, expected …`` when those are few enough to help; ``terminals`` are the names of some."""
    names = sorted({terminals.get(w, f"`{w.lower()}`") for w in wanted if w != "$END"})
    if not names or len(names) > most:
        return ", expected `;`" if "SEMICOLON" in wanted else ""
    *first, last = names
    return f", expected {', '.join(first)} or {last}" if first else f", expected {last}"


def number(builder: Builder, token: Token) -> int:
    """The value of an integer literal; InputError where it needs more than 64 bits."""
    text = str(token).lower().rstrip("ul")
    base = {"0x": 16, "0b": 2}.get(text[:2], 8 if len(text) > 1 and text[0] == "0" else 10)
    try:
        value = int(text, base)
    except ValueError:
        raise error(Code.BAD_LITERAL, f"`{token}` is not a number", builder.token(token)) from None
    if value >= 1 << 64:
        raise error(Code.BAD_LITERAL, f"{token} needs more than 64 bits", builder.token(token))
    return value


def type_words(tokens: tuple[Any, ...]) -> tuple[str, tuple[str, ...]]:
    """The words of a type, and its specifiers."""
    words = [str(t) for t in tokens if isinstance(t, Token) and t.type == "TYPE"]
    specifiers = tuple(str(t) for t in tokens if isinstance(t, Token) and t.type == "SPECIFIER")
    return " ".join(words), specifiers
