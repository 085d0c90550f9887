"""Which language a ``.cu`` file is in: the scoped language, or C++ beyond it, which is clang's business."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.frontends.scoped.syntax.scan import scan, without_literals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Source, Span

#: What only C++ has.
_BEYOND = re.compile(
    r"""
      (?P<line>(?:(?<=\n)|\A)[ \t]*\#(?![ \t]*(?:pragma\b|include[ \t]*<)|[ \t]*\n)[ \t]*\w*[^\n]*)
    | (?P<template>\b(?:template|concept|requires)\b)
    | (?P<enumeration>\benum\s+(?:class|struct)\b)
    | (?P<class>\b(?:struct|class|union)\b)
    | (?P<operator>\boperator\b)
    | (?P<lambda>\[)(?=(?:[^][;{}]|\[[^][]*\])*\]\s*(?:[({<]|->|mutable\b|constexpr\b|noexcept\b))
    """,
    re.VERBOSE,
)
_HEAD = re.compile(r"[^;{}()=]*(?:\([^()]*\)[^;{}()=]*)?\{")
_PLAIN_PARENTHESES = re.compile(r"\b(?:alignas|__align__|__attribute__)\s*\(+[^()]*\)+")
_SUBSCRIPT = re.compile(r"(?<!\w)(?!return\s*\Z)\w+\s*\Z|[])>[\"]\s*\Z|\bauto\s*&{0,2}\s*\Z")


def beyond_the_scoped_language(source: Source) -> tuple[Span, str] | None:
    """Where a file first has something that only C++ has, and what; None where the scoped language may do.

    That is a template, a class with more than data, an operator of its own, a lambda expression, and a line for the
    preprocessor that is not ``#pragma`` or ``#include <…>``.

    Raises InputError for a comment or literal without an end.
    """
    return next(_beyond(source, without_literals(scan(source).code)), None)


def _beyond(source: Source, code: str) -> Iterator[tuple[Span, str]]:
    for match in _BEYOND.finditer(code):
        start, end = match.span()
        match match.lastgroup:
            case "line":
                yield source.span(end - len(match.group().lstrip()), end), "a line for the preprocessor"
            case "template":
                yield source.span(start, end), "a template"
            case "operator":
                yield source.span(start, end), "an operator of its own"
            case "class" if _has_more_than_data(code, start):
                yield source.span(start, end), "a class with more than data"
            case "lambda" if not _SUBSCRIPT.search(code, max(0, start - 40), start):
                yield source.span(start, end), "a lambda expression"
            case _:
                pass


def _has_more_than_data(code: str, start: int) -> bool:
    """Whether what begins here defines a class with functions, bases, access or anything else but members."""
    head = _HEAD.match(code, start)
    if head is None:  # a declaration, or the type of something
        return False
    depth, end = 1, head.end()
    while depth and end < len(code):
        depth += {"{": 1, "}": -1}.get(code[end], 0)
        end += 1
    body = _PLAIN_PARENTHESES.sub("", code[head.end() : end])
    named = _PLAIN_PARENTHESES.sub("", head.group())
    more = re.search(r"\(|\b(?:static|using|typedef|friend|public|private|protected|virtual|mutable)\b", body)
    return code.startswith(("class", "union"), start) or more is not None or bool(re.search(r"(?<!:):(?!:)", named))
