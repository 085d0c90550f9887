"""scopec's parser recognises what Lark does with the same tables: the same rules, parts and places."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from scopec.base import grammars, lalr
from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.litmus.syntax.scan import split
from scopec.frontends.scoped.syntax import cuda
from scopec.frontends.scoped.syntax.scan import scan
from scopec.memory.cat.read import _without_comments
from tests.samples import programs

REPOSITORY = Path(__file__).parent.parent
_COUNT = programs(20, 40)
_WORD = re.compile(r"\w+|[^\w\s]")


def texts(suffix: str) -> Iterator[tuple[str, str, str]]:
    """Grammars, rules to start with and texts of the files of one kind that the repository has."""
    for path in sorted((*REPOSITORY.glob(f"specs/**/*{suffix}"), *REPOSITORY.glob(f"scopec/**/*{suffix}"))):
        source = Source(path.name, path.read_text(encoding="utf-8"))
        match suffix:
            case ".cat":
                yield "cat", "start", _without_comments(source)
            case ".litmus":
                parts = split(source)
                yield ("ptx" if parts.dialect == "PTX" else "litmus_c"), "program", parts.program
                yield "litmus", "init", parts.init
                yield "litmus", "footer", parts.footer
                yield "cuda", "directives", parts.directives
            case ".ptx":
                yield "ptx", "module", source.text
            case _:
                scanned = scan(source)
                yield "cuda", "program", cuda._LINE.sub(lambda line: " " * len(line.group()), scanned.code)
                yield "cuda", "directives", scanned.directives


def by_lark(parser: Lark, text: str, start: str) -> list[tuple[Any, ...]] | None:
    """The rules of a text in the order in which each is complete, with their places and parts."""
    try:
        tree: Any = parser.parse(text, start=start)
    except UnexpectedInput:
        return None
    found: list[tuple[Any, ...]] = []

    def said(part: Any) -> Any:
        if isinstance(part, Token):
            return (part.type, str(part), part.start_pos, part.end_pos)
        if isinstance(part, Tree):
            parts = [said(p) for p in part.children]
            place = (-1, -1) if part.meta.empty else (part.meta.start_pos, part.meta.end_pos)
            found.append((part.data, place, parts))
            return len(found) - 1
        return part

    said(tree)
    return found


def by_scopec(parser: lalr.Parser, text: str, start: str) -> list[tuple[Any, ...]] | None:
    nodes = parser.parse(text, start)
    if nodes is None:
        return None
    numbers = {id(node): number for number, node in enumerate(nodes)}

    def said(part: Any) -> Any:
        if isinstance(part, lalr.Token):
            return (part.type, str(part), part.start_pos, part.end_pos)
        return numbers[id(part)] if isinstance(part, lalr.Node) else part

    return [(node.rule, (node.start_pos, node.end_pos), [said(p) for p in node.parts]) for node in nodes]


def changed(text: str, chance: random.Random) -> str:
    """A text with some words dropped, doubled, exchanged, cut or set apart."""
    words = list(_WORD.finditer(text))
    for _ in range(chance.randint(1, 3)):
        if not words:
            return text
        one, other = chance.choice(words), chance.choice(words)
        start, end = one.span()
        new = chance.choice(["", one.group() * 2, other.group(), one.group()[:1], f" {other.group()} ", "§", "\n"])
        text = text[:start] + new + text[end:]
        words = list(_WORD.finditer(text))
    return text


@pytest.mark.sampled(1)
@pytest.mark.parametrize("suffix", [".cat", ".litmus", ".ptx", ".cu"])
def test_the_same_rules_parts_and_places_as_lark(suffix: str) -> None:
    chance = random.Random(suffix)
    parsers: dict[str, tuple[Lark, lalr.Parser]] = {}
    found = list(texts(suffix))
    right = wrong = 0
    for grammar, start, text in chance.sample(found, min(len(found), 5 * _COUNT)):
        finish = cuda._Finish() if grammar == "cuda" else None
        if grammar not in parsers:
            parsers[grammar] = grammars.lark_parser(grammar, finish), grammars.parser(grammar, finish)
        lark, scopec = parsers[grammar]
        for _ in range(2):
            token = cuda._source.set(Source("a", text))
            try:
                expected: Any = by_lark(lark, text, start)
            except InputError as refused:  # a reserved word
                expected = refused.diagnostics
            try:
                actual: Any = by_scopec(scopec, text, start)
            except InputError as refused:
                actual = refused.diagnostics
            cuda._source.reset(token)
            assert actual == expected, text
            right, wrong = right + (expected is not None), wrong + (expected is None)
            text = changed(text, chance)
    assert right > 5
    assert wrong > 5
