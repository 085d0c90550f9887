"""The text of ``//@`` comments: what can stand at a place of it, what its words mean, and their kinds.

Names and meanings are those of docs/language.md, of the tables of options, and of the catalogue of diagnostics.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

from scopec.base.diagnostics import WARNINGS, Code
from scopec.base.options import ATTRIBUTES, BOUNDS, OPTIONS
from scopec.base.records import dataclass
from scopec.base.resources import rows
from scopec.memory.cat.registry import MODELS
from scopec.progress.models import MODELS as PROGRESS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.base.options import Setting

Kind = Literal["keyword", "type", "property", "enumMember", "number", "string", "function", "operator", "variable"]
#: The kinds of tokens, by the numbers that the protocol has for them.
KINDS: tuple[Kind, ...] = get_args(Kind)

_BEGIN = "//@"
_SETTINGS: Mapping[str, Mapping[str, Setting]] = {"options": OPTIONS, "given": ATTRIBUTES}
_CONNECTIVES = ("when", "under", "on", "in", "where", "as", "cooperative", "launched")
_TOKENS = re.compile(r'(?P<string>"[^"]*")|(?P<number>\b\d\w*)|(?P<word>[A-Za-z_][\w:.+#-]*)|(?P<operator>[=<>!&|]+)')


@dataclass(frozen=True, slots=True)
class Word:
    """A word that can stand somewhere, and what it means."""

    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Token:
    """So many characters of a line, by what they are."""

    line: int
    column: int
    length: int
    kind: Kind


@cache
def directives() -> Mapping[str, str]:
    """The directives, with their meanings."""
    found: dict[str, str] = {}
    for name, form, meaning in _table("directive | meaning"):
        found.setdefault(name, f"`{form}`\n\n{meaning}")
    return found


@cache
def expectations() -> Mapping[str, str]:
    """What can be expected, and when it holds."""
    found: dict[str, str] = {}
    for name, form, meaning in _table("expectation | holds if"):
        found.setdefault(name, f"`expect {form}` holds if {meaning}.")
    return found


def _table(head: str) -> Iterator[tuple[str, str, str]]:
    for row in rows("language", head):
        forms, meaning = row.split(" | ", 1)
        for form in re.findall(r"`([^`]+)`", forms):
            yield form.partition(" ")[0].rstrip(";"), form, re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", meaning)


def completions(line: str) -> tuple[Word, ...]:
    """The words that can stand at the end of the beginning of a line."""
    begun = line.find(_BEGIN)
    if begun < 0:
        return ()
    said = line[begun + len(_BEGIN) :].rpartition(";")[2]
    words = re.findall(r"[\w.+:-]+|[=,]", said)
    if words and not said.endswith((" ", "\t", "=", ",")):
        words = words[:-1]  # it is being written
    return tuple(_after(words))


def _after(words: list[str]) -> Iterator[Word]:
    if not words:
        yield from (Word(*one) for one in directives().items())
        return
    first, last = words[0], words[-1]
    match first:
        case "expect" if len(words) == 1:
            yield from (Word(*one) for one in expectations().items())
        case "expect" if "under" in words and last in ("under", ","):
            yield from (Word(one.name, one.summary) for one in MODELS.values())
            yield from (Word(one.name, one.summary) for one in PROGRESS.values() if one.name not in MODELS)
        case "expect":
            yield Word("when", "restricts it to some variants")
            yield Word("under", "asks it under other models")
        case "options" | "given":
            yield from _settings(words, _SETTINGS[first])
        case "bound" if last in ("bound", ","):
            yield from (Word(name, f"{least} to {most}") for name, (_, least, most) in BOUNDS.items())
        case "language" if len(words) == 1:
            yield Word("scoped", "scopec reads the file")
            yield Word("c++", "clang reads the file")
        case "allow" if last in ("allow", ","):
            yield from (Word(code.id, code.summary) for code in Code if code.id in WARNINGS)
        case _:
            return


def _settings(words: list[str], table: Mapping[str, Setting]) -> Iterator[Word]:
    if words[-1] == "=" and words[-2] in table:
        setting = table[words[-2]]
        yield from (Word(value, "the default" if value == setting.default else "") for value in setting.values)
    elif len(words) == 1 or words[-1] == ",":
        yield from (Word(name, setting.meaning) for name, setting in table.items())


def meaning(line: str, column: int) -> tuple[int, int, str] | None:
    """The word of a directive at a column, as its columns and its meaning; None where there is none."""
    for token, word, kind in _words(line):
        if token.column <= column < token.column + token.length and (said := _meaning(word, kind)) is not None:
            return token.column, token.column + token.length, said
    return None


def _meaning(word: str, directive: str) -> str | None:
    for table in (OPTIONS, ATTRIBUTES):
        if word in table:
            return f"{table[word].meaning}: {', '.join(table[word].values)}; the first is the default"
    if word == directive:
        return directives().get(word)
    if directive == "expect":
        return expectations().get(word)
    found = next((code for code in Code if code.id == word), None)
    return found and f"{found.summary}\n\n{found.way_out}"


def tokens(text: str) -> Iterator[Token]:
    """The tokens of all directives of a text, in order."""
    for number, line in enumerate(text.split("\n")):
        if line.find(_BEGIN) >= 0:
            for token, _, _ in _words(line):
                yield Token(number, token.column, token.length, token.kind)


def _words(line: str) -> Iterator[tuple[Token, str, str]]:
    """The words of the directives of a line, each with the directive that it is in."""
    begun = line.find(_BEGIN)
    if begun < 0:
        return
    at = begun + len(_BEGIN)
    for part in line[at:].split(";"):
        directive = ""
        for found in _TOKENS.finditer(part):
            word = found.group()
            directive = directive or word
            kind = _kind(word, directive, str(found.lastgroup))
            yield Token(0, at + found.start(), len(word), kind), word, directive
        at += len(part) + 1


def _kind(word: str, directive: str, group: str) -> Kind:
    match group:
        case "string":
            return "string"
        case "number":
            return "number"
        case "operator":
            return "operator"
        case _:
            return _kind_of_word(word, directive)


def _kind_of_word(word: str, directive: str) -> Kind:
    if (word == directive and word in directives()) or word in _CONNECTIVES:
        return "keyword"
    if directive == "expect" and word in expectations():
        return "type"
    if directive in ("options", "given", "bound"):
        known = {**OPTIONS, **ATTRIBUTES, **BOUNDS}
        return "property" if word in known else "enumMember"
    return "function" if directive in ("launch", "every") else "variable"
