"""The places of PTX that synchronise: in a file, in a litmus file's table, and in ``asm``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from scopec.advice.ptx_async_places import NAMES, of_cluster_arrival, of_mbarrier, of_special_fence
from scopec.advice.statements import bare, beginning, ending
from scopec.advice.steps import (
    BOTH,
    MEMBAR,
    PTX_CLUSTER,
    PTX_SCOPES,
    Place,
    Step,
    Word,
    order_left,
    order_steps,
    removal,
    removed_stretch,
    scope_left,
    scope_place,
    scope_steps,
    word_place,
)
from scopec.frontends.scoped.syntax.scan import scan

if TYPE_CHECKING:
    from re import Match

    from scopec.base.source import Source


_INSTRUCTION = re.compile(
    r"(?<![\w.%$])(?P<op>" + NAMES + r"|ld|st|atom|red|fence|membar|bar(?:rier)?(?:\.cta)?\.sync)"
    r"(?P<words>(?:\.\w+(?:::\w+)*)*)(?![\w:])"
)
_WORDS = re.compile(r"(?<=\.)\w+(?:::\w+)*")
_MAY = {"ld": frozenset({"acquire"}), "st": frozenset({"release"})}
_ORDERS = ("sc", "acq_rel", "acquire", "release", "relaxed")
_FENCES = {"sc", "acq_rel", "acquire", "release"}
_Remove = Callable[["Source", str, int], "Word | None"]


def of_file(source: Source, code: str) -> Iterator[Place]:
    """The places of a file of PTX, of which ``code`` is the text without comments."""
    return _of_ptx(source, code, _removed_line)


def of_table(source: Source, code: str) -> Iterator[Place]:
    """The places of a litmus file of PTX."""
    return _of_ptx(source, code, _blanked)


def of_asm(source: Source) -> Iterator[Place]:
    """The places of ``asm`` in a C++ text."""
    return _of_ptx(source, _literals(source), _removed_asm)


def _of_ptx(source: Source, code: str, remove: _Remove) -> Iterator[Place]:
    for found in _INSTRUCTION.finditer(code):
        words = {word.group(): word.span() for word in _WORDS.finditer(code, *found.span("words"))}
        if found["op"] == "fence" and ("mbarrier_init" in words or not words.keys() & _FENCES):
            yield from of_special_fence(source, code, found, words, remove)
        elif found["op"].startswith("mbarrier"):
            yield from of_mbarrier(source, found, words)
        elif found["op"].startswith("barrier.cluster"):
            yield from of_cluster_arrival(source, code, found, words, remove)
        elif found["op"] in ("ld", "st", "atom", "red"):
            yield from _access(source, found["op"], words)
        elif whole := remove(source, code, found.start()):
            yield _removed_instruction(source, code, found, words, whole)


def _access(source: Source, name: str, words: dict[str, tuple[int, int]]) -> Iterator[Place]:
    for word, at in words.items():
        if word in _ORDERS:
            steps = order_steps(word, _MAY.get(name, BOTH))
            yield word_place(source, steps, at, partial(order_left, steps))
        else:
            scopes = PTX_CLUSTER if word == "cluster" else PTX_SCOPES
            if word in scopes:
                yield scope_place(source, at, scopes, word)


def _removed_instruction(
    source: Source, code: str, found: Match[str], words: dict[str, tuple[int, int]], whole: Word
) -> Place:
    """A fence or barrier, which goes in the end."""
    at = found.span()
    if found["op"].startswith("bar"):
        number = re.compile(r"\s+0\s*;").match(code, at[1])
        if number is None or source.name.endswith(".litmus"):
            return Place(source.span(*at), (Step("barrier", "barrier"),), (), whole, frozenset({"barrier"}))
        to = Word(
            at[0],
            number.end(),
            lambda taken: "bar.warp.sync 0xffffffff;" if taken else source.text[at[0] : number.end()],
        )
        steps = (Step("barrier", "barrier"), Step("warp", "barrier of a warp", frozenset({"barrier"})))
        return Place(source.span(*at), steps, (to,), whole, frozenset({"warp"}))
    weaker = (Step("seq_cst", "seq_cst of a fence"),) if found["op"] == "membar" or "sc" in words else ()
    scopes = MEMBAR if found["op"] == "membar" else PTX_CLUSTER if "cluster" in words else PTX_SCOPES
    word = next((one for one in words if one in scopes), "")
    steps = (*weaker, *scope_steps(word, scopes, " of a fence"))
    order = next((one for one in words if one in _ORDERS), "sc")

    def spelt(taken: frozenset[str]) -> str:
        scope = scope_left(word, scopes, taken) if word else ""
        if found["op"] == "membar" and "seq_cst" not in taken:
            return f"membar.{scope}" if scope != word else found.group()
        if found["op"] == "membar":
            scope = list(PTX_SCOPES)[list(scopes).index(scope)]
        return ".".join(filter(None, ("fence", "acq_rel" if "seq_cst" in taken else order, scope)))

    last = Step("fence", "fence", frozenset(step.name for step in weaker))
    return Place(source.span(*at), (*steps, last), (Word(*at, spelt),), whole, frozenset({"fence"}))


_PREDICATE = re.compile(r"@!?%?[\w$]+\s+$")


def _statement(code: str, at: int) -> tuple[int, int] | None:
    """An instruction from its predicate to its semicolon."""
    end = code.find(";", at)
    predicate = _PREDICATE.search(code, max(code.rfind("\n", 0, at), code.rfind(";", 0, at)) + 1, at)
    return None if end < 0 else (predicate.start() if predicate else at, end + 1)


def _removed_line(source: Source, code: str, at: int) -> Word | None:
    """An instruction of a file of PTX."""
    found = _statement(code, at)
    return None if found is None else removed_stretch(source, *found)


def _blanked(_source: Source, code: str, at: int) -> Word | None:
    """A cell of a litmus file's table."""
    end = re.compile(r"[|;]").search(code, at)
    return None if end is None else Word(at, end.start(), lambda _taken: " " * (end.start() - at))


def _removed_asm(source: Source, code: str, at: int) -> Word | None:
    """An instruction in a string: with the ``asm`` around it, if that has nothing else."""
    found = _statement(code, at)
    if found is None:
        return None
    outside = bare(source)
    start, end = beginning(outside, at), ending(outside, at)
    if end is not None and re.match(r"(?:__)?asm", outside[start:]):
        said = re.sub(r'"memory"|"', "", code[start:end])
        if said.strip() == code[slice(*found)]:
            return removal(source, outside, start, end)
    return Word(*found, lambda _taken: "")


def _literals(source: Source) -> str:
    """A C++ text of which only what is in literals is left."""
    code, without = scan(source).code, bare(source)
    return "".join(
        one if other.isspace() and not one.isspace() else "\n" if one == "\n" else " "
        for one, other in zip(code, without, strict=True)
    )
