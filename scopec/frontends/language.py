"""Which language a ``.cu`` file is in: the scoped language, or C++ beyond it, which is clang's business."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.resources import resource
from scopec.frontends.scoped.syntax.scan import LITERAL, scan, without_literals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Source, Span

#: What only C++ has.
_BEYOND = re.compile(
    r"""
      (?:(?<=\n)|\A)[ \t]*\#[ \t]*include[ \t]*<(?P<header>[^>\n]*)>
    | (?P<line>(?:(?<=\n)|\A)[ \t]*\#(?![ \t]*(?:pragma\b|include[ \t]*<)|[ \t]*\n)[ \t]*\w*[^\n]*)
    | (?P<template>\b(?:template|concept|requires)\b)
    | (?P<enumeration>\benum\b)
    | (?P<namespace>\busing\s+namespace\b|\busing\s+[\w:]+\s*;|\bnamespace\b[\s\w:]*\{)
    | (?P<range>\bfor\s*\((?:[^;:()]|::)*:(?!:))
    | (?P<float>\b(?:float|double)\b)
    | (?P<assertion>\bstatic_assert\b)
    | (?P<alignment>\b(?:alignas|alignof|__align__)\b)
    | (?P<reference>\busing\s+\w+\s*=[^;]*&\s*;|\btypedef\b[^;]*&\s*\w+\s*;)
    | (?P<global>(?<![\w>:])::\s*[A-Za-z_])
    | (?P<literal>\b0(?:[xX][\da-fA-F']+|[bB][01']+|[0-7'][0-7']{9,}))
    | (?P<unsized>\bsizeof\s*\(?\s*nullptr\b)
    | (?P<declaration>[;{}]\s*(?:unsigned|signed|int|long|short|char|bool)\s*\(\s*[A-Za-z_]\w*\s*\)\s*[;=])
    | (?P<class>\b(?:struct|class|union)\b)
    | (?P<operator>\boperator\b)
    | (?P<lambda>\[)(?=(?:[^][;{}]|\[[^][]*\])*\]\s*(?:[({<]|->|mutable\b|constexpr\b|noexcept\b))
    """,
    re.VERBOSE,
)
#: Those that are what they look like.
_PLAIN = {
    "template": "a template", "enumeration": "an enumeration", "namespace": "a namespace of its own",
    "range": "a loop over a range", "float": "a floating-point number", "assertion": "a static assertion",
    "alignment": "an alignment", "global": "a name of the global namespace", "unsized": "the size of a null pointer",
    "reference": "another name for a reference",
    "declaration": "a declaration with parentheses",
    "operator": "an operator of its own",
}  # fmt: skip
#: A comment that a compiler continues.
_SPLICED = re.compile(r"//[^\n]*(\\)[ \t]+\n")
_STATED = re.compile(r"\blanguage\s+(scoped|c\+\+)\s*;")
#: Headers that come with clang.
_OF_C = {f"{name}.h" for name in ("float", "limits", "stdarg", "stdbool", "stddef", "stdint")}
_HEAD = re.compile(r"[^;{}()=]*(?:\([^()]*\)[^;{}()=]*)?\{")
_SUBSCRIPT = re.compile(r"(?<!\w)(?!return\s*\Z)\w+\s*\Z|[])>[\"]\s*\Z|\bauto\s*&{0,2}\s*\Z")


def stated(source: Source) -> str | None:
    """What the directive ``language`` says, ``scoped`` or ``c++``; None without one.

    Raises InputError for a comment or literal without an end.
    """
    found = _STATED.search(scan(source).directives)
    return found[1] if found else None


def beyond(source: Source) -> tuple[Span, str] | None:
    """Where a file first has something that only C++ has, and what; None where the scoped language may do.

    That is a template, a class with more than data, an enumeration, a namespace of its own or the use of one, an
    operator of its own, a lambda expression, a loop over a range, a floating-point number, a static assertion, an
    alignment, another name for a reference, a name of the global namespace, a character, a number that its base may
    make unsigned, a line for the preprocessor that is not ``#pragma`` or ``#include <…>``, a header of which scopec
    knows nothing, and what reads otherwise than it looks: ``unsigned(x);``, and a comment that a compiler continues.

    Raises InputError for a comment or literal without an end.
    """
    code = scan(source).code
    found = next(_beyond(source, without_literals(code)), None)
    if found is None:
        if (goes_on := _SPLICED.search(source.text)) is not None:
            return source.span(*goes_on.span(1)), "a comment that may go on"
        characters = (literal.span() for literal in LITERAL.finditer(code) if literal.group().startswith("'"))
        found = next(((source.span(*place), "a character") for place in characters), None)
    return found


def _beyond(source: Source, code: str) -> Iterator[tuple[Span, str]]:
    for match in _BEYOND.finditer(code):
        start, end = match.span()
        match match.lastgroup:
            case "header" if not _is_known(match["header"].strip()):
                yield source.span(*match.span("header")), "a header that scopec does not have"
            case "line":
                yield source.span(end - len(match.group().lstrip()), end), "a line for the preprocessor"
            case "class" if _has_more_than_data(code, start):
                yield source.span(start, end), "a class with more than data"
            case "lambda" if not _SUBSCRIPT.search(code, max(0, start - 40), start):
                yield source.span(start, end), "a lambda expression"
            case "literal" if int(match.group().replace("'", ""), 0 if match.group()[1:2] in "xXbB" else 8) >> 31:
                yield source.span(start, end), "a literal that may be unsigned"
            case plain if plain in _PLAIN:
                yield source.span(start, end), _PLAIN[plain]
            case _:
                pass


def _is_known(header: str) -> bool:
    return header in _OF_C or (resource("shims") / header).is_file()


def _has_more_than_data(code: str, start: int) -> bool:
    """Whether what begins here defines a class with functions, bases, access or anything else but members."""
    head = _HEAD.match(code, start)
    if head is None:  # a declaration, or the type of something
        return False
    depth, end = 1, head.end()
    while depth and end < len(code):
        depth += {"{": 1, "}": -1}.get(code[end], 0)
        end += 1
    words = r"\b(?:static|using|typedef|friend|public|private|protected|virtual|mutable)\b"
    more = re.search(rf"\(|\w\s*:(?!:)|{words}", code[head.end() : end])
    based = re.search(r"(?<!:):(?!:)", head.group())
    return code.startswith(("class", "union"), start) or more is not None or based is not None
