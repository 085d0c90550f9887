"""Parses a part of a file with its grammar, and says where and why that fails."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from scopec.base.diagnostics import Code, InputError, error, suggestion
from scopec.base.grammars import lark_parser, parser
from scopec.base.lalr import Parser, Token

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lark import Lark
    from lark.exceptions import UnexpectedInput

    from scopec.base.source import Source
    from scopec.base.syntax import Builder

_OPERATOR = "an operator"
#: The names of terminals in messages, if they are not written in one way alone, or would be too many.
TERMINALS = {
    "NAME": "a name", "INT": "a number", "MINUS": "a number", "TYPE": "a type", "SPECIFIER": "a type",
    "_ATOMIC": "a type", "DOTTED": "an instruction", "COMPARE": "a comparison", "ARGUMENT": "an operand",
    "SPECIAL": "a special register", "FLOAT": "a number", "STRING": "a string", "KIND": "`.entry` or `.func`",
    "LINKAGE": "`.visible`", "LIMIT": "a limit of the kernel", "TYPE_NAME": "a type", "INT_WORD": "a type",
    "TEMPLATE_NAME": "a type", "FUNCTION_TEMPLATE": "a name", "WORD": "a value", "CHAR": "a character",
    "LANGUAGE": "`scoped` or `c++`", "PATH": "the name of a file in quotation marks", "LAUNCHED_NAME": "a name",
    "PLAIN_KIND": "a question", "FORMULA_KIND": "a question", "RACE": "a question", "ALLOW": "`allow`",
    "SETTINGS_KIND": "`bound`, `given` or `options`", "STEP": _OPERATOR,
    **dict.fromkeys(("BAR", "CARET", "AMP", "EQUALITY", "LESS", "GREATER", "RELATION", "SHIFT", "SIGN", "MULTIPLY"),
                    _OPERATOR),
    **dict.fromkeys(("ASSIGN", "QMARK", "TILDE", "AND", "OR", "NOT", "IMPLIES", "STAR"), _OPERATOR),
}  # fmt: skip


_WORD = re.compile(r"[A-Za-z_]\w*")
_DOTTED_WORD = re.compile(r"\.?[A-Za-z_]\w*")
_LAST_WORD = re.compile(r"\b([A-Za-z_]\w*)\Z")
_CONNECTIVES = {"and": "/\\", "or": "\\/", "AND": "/\\", "OR": "\\/"}
_KEYWORDS = ("exists", "forall", "filter", "locations", "scopes")
_QUALIFIERS = ("global", "local", "private", "constant", "volatile", "const")
_TYPES = ("int", "char", "short", "long", "unsigned", "bool", "void", "atomic_int", "atomic_uint")
_CLAUSES = ("allowed", "forbidden", "required", "final", "assert")
_OF_PTX = (".reg", ".entry", ".func", ".visible", ".version", ".target", ".address_size", ".global", ".shared")
_CLAUSE = re.compile(r"exists|forall")
_OUTSIDE = ("goto", "switch", "struct", "union", "enum", "typedef", "sizeof", "asm")


@cache
def _parser(grammar: str) -> Parser:
    return parser(grammar)


@cache
def _lark_parser(grammar: str) -> Lark:
    return lark_parser(grammar)


def parse(grammar: str, start: str, text: str, builder: Builder) -> Any:
    """The result of ``builder`` for a text; InputError at the first place that the grammar does not allow."""
    nodes = _parser(grammar).parse(text, start)
    if nodes is None:
        raise _syntax_error(builder.source, text, unexpected(_lark_parser(grammar), text, start), _lark_parser(grammar))
    return builder.build(nodes)


def unexpected(parser_: Lark, text: str, start: str) -> UnexpectedInput:
    """The error that Lark raises for a text that is not in the language."""
    from lark.exceptions import UnexpectedInput

    try:
        parser_.parse(text, start=start)
    except UnexpectedInput as found:
        return found
    raise AssertionError("what Lark reads, scopec's parser reads")


def _syntax_error(source: Source, text: str, unexpected: UnexpectedInput, parser_: Lark) -> InputError:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    end = len(text.rstrip())
    offset, length, found = end, 0, "end of the file"
    match unexpected:
        case UnexpectedToken(token=token) if token.type != "$END":
            offset, length, found = token.start_pos or 0, len(token), f"`{short(str(token))}`"
        case UnexpectedCharacters():
            offset, length = cast(int, unexpected.pos_in_stream), 1
            found = f"`{short(text[offset])}`"
        case _:
            pass
    wanted = acceptable(unexpected)
    slip = _slip(text, offset)
    if slip is not None:
        word, help_ = slip
        message = f"unexpected `{word.group()}`"
        return error(Code.SYNTAX, message, source.span(*word.span()), help_)
    if (missing := missing_semicolon(text, offset, found, wanted)) is not None:
        message, place, help_ = missing
        return error(Code.SYNTAX, message, source.span(place, place), help_)
    message = f"unexpected {found}{expected(wanted, parser_, 6)}"
    return error(Code.SYNTAX, message, source.span(offset, offset + length), _help(text, offset, wanted))


def acceptable(unexpected: UnexpectedInput) -> set[str]:
    """The terminals with which a text could have gone on: those that Lark names are not always right here."""
    state = getattr(unexpected, "interactive_parser", None)
    return set() if state is None else set(state.accepts())


def missing_semicolon(text: str, offset: int, found: str, wanted: set[str]) -> tuple[str, int, str] | None:
    """The message, its place and a way out where a `;` could stand and the line ends without; else None."""
    code = text[:offset].rstrip()
    if (
        "SEMICOLON" not in wanted
        or _CLAUSE.match(text, offset)
        or code[-1:] in ("", ";", "{", "}")
        or "\n" not in text[len(code) : offset]
    ):
        return None
    return f"expected `;` before {found}", len(code), f"is a `;` missing at the end of line {code.count(chr(10)) + 1}?"


def _slip(text: str, offset: int) -> tuple[re.Match[str], str] | None:
    """The word at a place, or before it on its line, that is a slip away from one that is known, and what is meant."""
    start = text.rfind("\n", 0, offset) + 1
    for word in _DOTTED_WORD.finditer(text, start):
        if word.start() > offset:
            return None
        name, first, between = word.group(), not text[start : word.start()].strip(), text[word.end() : offset]
        if first and name in _CLAUSES and between.strip() == "(":
            return word, "a final clause is `exists (…)`, `~exists (…)` or `forall (…)`"
        if first and word.start() == offset and f".{name}" in _OF_PTX:
            return word, f"did you mean `.{name}`?"
        known: list[str] = [*_OF_PTX] if name[0] == "." else [*_KEYWORDS] if first and not between.strip(" (:") else []
        if name[0] != "." and not between.strip() and re.match(r"\w", text[offset : offset + 1]):
            known += [*_TYPES, *_QUALIFIERS]
        if name not in known and (meant := suggestion(name, known)):
            return word, meant
    return None


def _help(text: str, offset: int, wanted: set[str]) -> str | None:
    """A guess what is meant: a `;` at the end of a line, a clause's keyword, an operator of conditions."""
    if text[max(0, offset - 1) : offset + 1] in ("->", "::"):
        return "members and namespaces are outside the modelled subset of litmus files"
    code = text[:offset].rstrip()
    if _CLAUSE.match(text, offset) and "SEMICOLON" in wanted:
        return "a file has one final clause: join two with `/\\` or `\\/`"
    if offset >= len(text.rstrip()) and code.count("{") > code.count("}"):
        return "is a `}` missing?"
    if "SEMICOLON" in wanted and offset >= len(text.rstrip()) and code:
        return "is a `;` missing at the end?"
    here, before = _WORD.match(text, offset), _LAST_WORD.search(code.rstrip("( "))
    if here and here.group() in _CONNECTIVES:
        return f"did you mean `{_CONNECTIVES[here.group()]}`?"
    if before and before.group(1) in _OUTSIDE:
        return f"`{before.group(1)}` is outside the modelled subset"
    return None


def short(text: str) -> str:
    """A text as a message shows it: its beginning, on one line."""
    shown = text if len(text) <= 40 else text[:37] + "…"
    return shown if shown.isprintable() else shown.encode("unicode_escape").decode()


def terminal_names(parser_: Lark) -> Mapping[str, str]:
    """The names of a grammar's terminals in messages: in words, or as they are written."""
    written = {t.name: f"`{t.pattern.value}`" for t in parser_.terminals if t.pattern.type == "str"}
    return written | TERMINALS


def expected(wanted: set[str], parser_: Lark, most: int) -> str:
    """``, expected …`` when those are few enough to help."""
    terminals = terminal_names(parser_)
    names = sorted({terminals[w] for w in wanted if w != "$END"})
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
