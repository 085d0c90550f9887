"""The places of a text that synchronise, and how each could do a little less.

A step takes one thing from a place: seq_cst, an acquire, a release, the system's scope, a barrier.  What is left of the
place is spelt out of the steps that are taken, so steps of one place and of others go together in every way.  Whether
the text that comes of them is a program, and what it means, is found out by reading it.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from scopec.advice import ptx_places
from scopec.advice.group_places import group_places
from scopec.advice.object_places import object_places
from scopec.advice.spelling import FUNCTION_SCOPES, ORDER
from scopec.advice.statements import with_macros
from scopec.advice.steps import (
    BOTH,
    CXX_SCOPES,
    OPENCL_SCOPES,
    Place,
    Step,
    Word,
    order_left,
    order_steps,
    removable,
    scope_left,
    scope_place,
    scope_steps,
    word_place,
)
from scopec.frontends.scoped.syntax.scan import blank

if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match

    from scopec.base.source import Source


def places(source: Source) -> Iterator[Place]:
    """The places of a file, in no order."""
    if source.name.endswith(".ptx"):
        code = re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: blank(found.group()), source.text, flags=re.DOTALL)
        yield from ptx_places.of_file(source, code)
    elif source.name.endswith(".litmus"):
        comments = r"//[^\n]*|\(\*.*?\*\)|/\*.*?\*/|\"[^\"]*\""
        code = re.sub(comments, lambda found: blank(found.group()), source.text, flags=re.DOTALL)
        if source.text.lstrip().startswith("PTX"):
            yield from ptx_places.of_table(source, code)
        else:
            yield from _of_cxx(source, code)
    else:
        yield from _of_cxx(source, with_macros(source))
        if "asm" in source.text:
            yield from ptx_places.of_asm(source)


# ---------------------------------------------------------------- C++ and C


_LOADS = re.compile(r"(atomic_)?(load|wait)(_explicit)?|test")
_STORES = re.compile(r"(atomic_)?(store|clear)(_explicit)?")
_UPDATES = re.compile(r"(atomic_)?(fetch_\w+|exchange|test_and_set|compare_exchange_(weak|strong))(_explicit)?")
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*(?:<[^<>;]*>)?\s*$")
_FENCE = re.compile(r"(?:\b\w+::)*\batomic_thread_fence\s*\(([^();]*)\)")
_SCOPE = re.compile(r"\b(?:thread_scope_|thread_scope::)(system|device)\b|\bmemory_scope_(all_svm_devices|device)\b")
_UNORDERED = re.compile(r"(?:\.|->)\s*(load|store|exchange|fetch_\w+|compare_exchange_\w+)\s*\(")
_ARGUMENTS = {"load": 0, "compare_exchange_weak": 2, "compare_exchange_strong": 2}
_UNSCOPED = re.compile(r"\bcuda::atomic(?:_ref)?\s*<([^<>;,()]+)(>)")
_THREADFENCE = re.compile(r"\b__threadfence(?P<scope>_system|_block)?\s*\(\s*\)")
_SYNC = re.compile(r"\b__sync(threads|warp)\s*\([^();]*\)")
_LEGACY = re.compile(r"\batomic[A-Z][A-Za-z]*?(_system|_block)?(?=\s*\()")


def _of_cxx(source: Source, code: str) -> Iterator[Place]:
    prefix = next((found[1] for found in re.finditer(r"\b((?:\w+::)*)memory_order[_:]", code)), "cuda::")
    fences = [found for found in _FENCE.finditer(code) if "memory_order" in found[1]]
    inside = [(found.start(), found.end()) for found in fences]
    for found in fences:
        yield _thread_fence(source, code, found)
    for found in ORDER.finditer(code):
        if not any(start <= found.start() < end for start, end in inside):
            at = (found.end(1), found.end())
            steps = order_steps(code[at[0] : at[1]], _may(code, found.start()))
            yield word_place(source, steps, at, partial(order_left, steps))
    for found in _SCOPE.finditer(code):
        if not any(start <= found.start() < end for start, end in inside):
            scopes, number = (CXX_SCOPES, 1) if found[1] else (OPENCL_SCOPES, 2)
            yield scope_place(source, found.span(number), scopes, found[number])
    yield from _unsaid(source, code, prefix)
    for found in _THREADFENCE.finditer(code):
        yield _threadfence(source, code, found, said="<cuda/atomic>" in source.text)
    for found in _SYNC.finditer(code):
        yield _barrier(source, code, found)
    yield from group_places(source, code)
    yield from object_places(source, code)
    for found in _LEGACY.finditer(code):
        scope = {"_system": "system", "_block": "block"}.get(found[1], "device")
        at = (found.start(1), found.end(1)) if found[1] else (found.end(), found.end())
        yield word_place(source, scope_steps(scope, CXX_SCOPES), at, partial(_suffix, scope))


def _suffix(scope: str, taken: frozenset[str]) -> str:
    return FUNCTION_SCOPES[scope_left(scope, CXX_SCOPES, taken)]


def _may(code: str, at: int) -> frozenset[str]:
    """What the operation whose argument an order is may do; an order that is none is weakened to relaxed at once."""
    depth, commas, place = 0, 0, at
    while place and not (depth == 0 and code[place - 1] in "({;}="):
        place -= 1
        depth += (code[place] in ")]") - (code[place] in "([")
        commas += code[place] == "," and depth == 0
    called = _CALLED.search(code, 0, place - 1) if place and code[place - 1] == "(" else None
    name = called[1] if called else ""
    if _LOADS.fullmatch(name):
        return frozenset({"acquire"})
    if _STORES.fullmatch(name):
        return frozenset({"release"})
    if not _UPDATES.fullmatch(name):
        return frozenset()
    failure = "compare_exchange" in name and commas == (4 if name.startswith("atomic_") else 3)
    return frozenset({"acquire"}) if failure else BOTH


def _unsaid(source: Source, code: str, prefix: str) -> Iterator[Place]:
    """Orders and scopes that are not written, which are the strongest."""
    for found in _UNORDERED.finditer(code):
        end, arguments = _arguments(code, found.end())
        if end is not None and len(arguments) == _ARGUMENTS.get(found[1], 1):
            may = {"load": frozenset({"acquire"}), "store": frozenset({"release"})}.get(found[1], BOTH)
            steps = order_steps("seq_cst", may)
            comma = ", " if arguments else ""

            def spelt(taken: frozenset[str], steps: tuple[Step, ...] = steps, comma: str = comma) -> str:
                order = order_left(steps, taken)
                return "" if order == "seq_cst" else f"{comma}{prefix}memory_order_{order}"

            yield word_place(source, steps, (end, end), spelt)
    for found in _UNSCOPED.finditer(code):
        if "thread_scope" not in found[1]:
            yield word_place(
                source, scope_steps("system", CXX_SCOPES), (found.start(2), found.start(2)), _scope_argument
            )


def _scope_argument(taken: frozenset[str]) -> str:
    scope = scope_left("system", CXX_SCOPES, taken)
    return "" if scope == "system" else f", cuda::thread_scope_{scope}"


def _arguments(code: str, at: int) -> tuple[int | None, list[str]]:
    """The place of the bracket that closes a list of arguments, and these."""
    depth, begin, found = 0, at, list[str]()
    for place in range(at, len(code)):
        letter = code[place]
        if depth == 0 and letter in ",)":
            found.append(code[begin:place].strip())
            begin = place + 1
        if depth == 0 and letter == ")":
            return place, [one for one in found if one]
        depth += (letter in "([{") - (letter in ")]}")
    return None, []


def _thread_fence(source: Source, code: str, found: Match[str]) -> Place:
    words: list[Word] = []
    steps: tuple[Step, ...] = ()
    order = next(iter(ORDER.finditer(code, found.start(1), found.end(1))), None)
    if order is not None:
        at = (order.end(1), order.end())
        orders = steps = order_steps(code[at[0] : at[1]], BOTH, " of a fence")
        words.append(Word(*at, lambda taken: order_left(orders, taken)))
    scope = next(iter(_SCOPE.finditer(code, found.start(1), found.end(1))), None)
    if scope is not None and scope[1]:
        word = scope[1]
        steps += scope_steps(word, CXX_SCOPES, " of a fence")
        words.append(Word(*scope.span(1), lambda taken: scope_left(word, CXX_SCOPES, taken)))
    elif "," not in found[1] and "cuda::" in found.group():
        steps += scope_steps("system", CXX_SCOPES, " of a fence")
        words.append(Word(found.end(1), found.end(1), _scope_argument))
    ordered = {"seq_cst", "acquire", "release"} & {step.name for step in steps}
    return removable(source, code, found.span(), steps, tuple(words), frozenset(ordered))


def _threadfence(source: Source, code: str, found: Match[str], *, said: bool) -> Place:
    """A ``__threadfence``: ``said`` is whether the library's fence can be named instead."""
    word = {"_system": "system", "_block": "block"}.get(found["scope"] or "", "device")
    scopes = scope_steps(word, CXX_SCOPES, " of a fence")
    orders = order_steps("seq_cst", BOTH, " of a fence") if said else ()

    def spelt(taken: frozenset[str]) -> str:
        scope = scope_left(word, CXX_SCOPES, taken)
        if "seq_cst" in taken:
            order = order_left(orders, taken)
            return f"cuda::atomic_thread_fence(cuda::memory_order_{order}, cuda::thread_scope_{scope})"
        return f"__threadfence{FUNCTION_SCOPES[scope]}()" if scope != word else found.group()

    last = () if said else (Step("fence", "fence", frozenset(step.name for step in scopes)),)
    gone = frozenset(step.name for step in orders or last)
    return removable(source, code, found.span(), (*orders, *scopes, *last), (Word(*found.span(), spelt),), gone)


#: The mask of a warp's barrier that may be written for a block's.
_WARP = "__syncwarp()"


def _barrier(source: Source, code: str, found: Match[str]) -> Place:
    warp = Step("warp", "barrier of a warp", frozenset({"barrier"} if found[1] == "threads" else ()))
    steps = (Step("barrier", "barrier"), warp) if found[1] == "threads" else (warp,)
    words = (Word(*found.span(), lambda taken: _WARP if "barrier" in taken else found.group()),)
    return removable(source, code, found.span(), steps, words, frozenset({"warp"}))
