"""Edits as changes of the text, where its places say what is to change.

A statement more, or another one, may mean a little less than the edit that was tried, or more: who changes a text by
such has it read again, and asks again (``search``).
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, assert_never

from scopec.advice.edits import (
    FENCES,
    AddFence,
    Attribute,
    Cooperate,
    Edit,
    MakeAtomic,
    Strengthen,
    Synchronise,
    Update,
    WaitForEvent,
    Widen,
    WidenFence,
    bodies,
    is_ptx,
    places,
    updates,
    writes_value,
    written_stream,
)
from scopec.advice.statements import after, before, ending
from scopec.base.files import source_of
from scopec.explain.fixes import Replacement
from scopec.frontends.ptx.table import ORDERS, SCOPES
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scopec.base.source import Span
    from scopec.program.program import Program

#: An order or a scope as each language writes it, behind a prefix.
ORDER = re.compile(r"\b(memory_order(?:_|::))(?:relaxed|consume|acquire|release|acq_rel|seq_cst)\b")
_SCOPE = re.compile(r"\b(thread_scope_)(?:thread|block|device|system)\b")
_PTX_ORDER = re.compile(r"(\.)(?:relaxed|acquire|release|acq_rel)\b")
_PTX_SCOPE = re.compile(r"(\.)(?:cta|cluster|gpu)\b")
_FENCE = re.compile(r"()\b__threadfence(?:_block)?\(\)")
_NO_BARRIER = re.compile(r"()\bCU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER\b")
_LEGACY = re.compile(r"\b(atomic[A-Z]\w*?)_block\b")
_PTX_ORDERS = {order: word for word, order in ORDERS.items()}
_PTX_SCOPES = {scope: word for word, scope in SCOPES.items()}
#: An instruction that says neither order nor scope; and assignments that one atomic function makes.
_UNORDERED_PTX = re.compile(
    r"^(?:@!?%?[\w$]+\s+)?(?:atom|red)()(?=\.)(?!\S*\.(?:relaxed|acquire|release|acq_rel|cta|cluster|gpu|sys)\b)"
)
_UPDATE = re.compile(
    r"(?P<to>.*?)\s*(?:(?P<step>\+\+|--)|(?P<op>[-+&|^])=(?!=)\s*(?P<by>.*)|=(?!=)\s*(?P<new>.*))", re.DOTALL
)
_STEP_BEFORE = re.compile(r"(?P<step>\+\+|--)\s*(?P<to>.*)", re.DOTALL)
_FUNCTIONS = {"+": "atomicAdd", "-": "atomicSub", "&": "atomicAnd", "|": "atomicOr", "^": "atomicXor"}
#: How functions such as atomicAdd and __threadfence end at a scope.
FUNCTION_SCOPES = {"block": "_block", "device": "", "system": "_system"}
#: Edits of which a text may be a little more or less.
UNSURE = (AddFence, Synchronise, WaitForEvent, Update)


class _UnsaidError(Exception):
    """No one place says it."""


def replacements(edits: Iterable[Edit], program: Program) -> tuple[Replacement, ...]:
    """Replacements in the text that make edits, by place; none if no single place stands for one of them."""
    try:
        found = sorted({r for edit in edits for r in _spelt(edit, program)})
    except _UnsaidError:
        return ()
    ends = ((a.span.end_line, a.span.end_column) > (b.span.line, b.span.column) for a, b in pairwise(found))
    return () if any(ends) else tuple(found)


def _spelt(edit: Edit, program: Program) -> Iterator[Replacement]:
    match edit:
        case Strengthen(at, order):
            ptx = is_ptx(at, program)
            word = _PTX_ORDERS.get(order)
            unordered = None if word is None else f".{word}.gpu"
            yield _one(at, program, {_PTX_ORDER: word, _UNORDERED_PTX: unordered} if ptx else {ORDER: order.value})
        case WidenFence(at, scope):
            yield _one(at, program, {**_scopes(at, scope, program), _FENCE: FENCES.get(scope)})
        case Widen(name, scope):
            for at in sorted(places(program, name, atomic=True)):
                try:
                    yield _one(at, program, {**_scopes(at, scope, program), _LEGACY: _suffix(scope)})
                except _UnsaidError:  # it is in the type of the object
                    declared = program.objects[name].span
                    line = source_of(declared, program.source).line(declared.line)
                    whole = replace(declared, column=1, end_line=declared.line, end_column=len(line) + 1)
                    yield _one(whole, program, {_SCOPE: scope.name.lower()})
        case AddFence(at) if writes_value(at, program):
            yield _one(at, program, {_NO_BARRIER: "CU_STREAM_WRITE_VALUE_DEFAULT"})
        case AddFence(at, scope, before):
            if at.file.endswith(".litmus"):
                raise _UnsaidError
            statement = f"{FENCES[scope]};"
            if at.file.endswith(".ptx"):
                statement = f"fence.sc.{_PTX_SCOPES[scope]};"
            elif is_ptx(at, program):
                statement = f'asm volatile("fence.sc.{_PTX_SCOPES[scope]};" ::: "memory");'
            yield from _statement(at, program, statement, first=before)
        case Synchronise(grid, stream):
            call = "cudaDeviceSynchronize();" if stream is None else f"cudaStreamSynchronize({stream});"
            yield from _statement(program.grids[grid].span, program, call, first=False)
        case WaitForEvent(first, second):
            ends = [(grid.span, written_stream(grid)) for grid in (program.grids[first], program.grids[second])]
            yield from _event(program, *ends)
        case Update(name, scope):
            for at in sorted({w.span for body in bodies(program) for _, (*_, w) in updates(body, name)}):
                yield _updated(at, program, scope)
        case MakeAtomic() | Attribute() | Cooperate():
            raise _UnsaidError
        case _ as never:
            assert_never(never)


def _scopes(at: Span, scope: ir.Scope, program: Program) -> dict[re.Pattern[str], str | None]:
    return {_PTX_SCOPE: _PTX_SCOPES.get(scope)} if is_ptx(at, program) else {_SCOPE: scope.name.lower()}


def _suffix(scope: ir.Scope) -> str:
    """The suffix of a function such as ``atomicAdd_block`` at another scope."""
    return "_system" if scope is ir.Scope.SYSTEM else ""


def _one(at: Span, program: Program, patterns: dict[re.Pattern[str], str | None]) -> Replacement:
    """Other text for the one match of a pattern in a place."""
    source = source_of(at, program.source)
    start = source.offset(at.line, at.column)
    text = source.text[start : source.offset(at.end_line, at.end_column)]
    found = [(match, new) for pattern, new in patterns.items() for match in pattern.finditer(text)]
    # Of two orders of a compare-exchange the first is that of success.
    exchange = "compare_exchange" in text
    if len(found) != 1 + exchange or found[0][1] is None:
        raise _UnsaidError
    match, new = found[0]
    return Replacement(source.span(start + match.end(1), start + match.end()), new or "")


def _statement(at: Span, program: Program, statement: str, *, first: bool) -> Sequence[Replacement]:
    """A statement before or after the one that is at a place."""
    source = source_of(at, program.source)
    place = source.offset(at.line, at.column)
    found = (before if first else after)(source, place, statement)
    if found is None:
        raise _UnsaidError
    return found


def event_between(program: Program, first: tuple[Span, str], second: tuple[Span, str]) -> tuple[Replacement, ...]:
    """An event behind what is given to one stream, for which another one waits before what is given to it; none where
    it cannot be put there."""
    try:
        return tuple(sorted(_event(program, first, second)))
    except _UnsaidError:
        return ()


def _event(program: Program, first: tuple[Span, str], second: tuple[Span, str]) -> Iterator[Replacement]:
    text, name = source_of(first[0], program.source).text, "done"
    while re.search(rf"\b{name}\b", text):
        name += "_"
    made = f"cudaEvent_t {name}; cudaEventCreate(&{name}); cudaEventRecord({name}, {first[1]});"
    yield from _statement(first[0], program, made, first=False)
    yield from _statement(second[0], program, f"cudaStreamWaitEvent({second[1]}, {name}, 0);", first=True)


def _updated(at: Span, program: Program, scope: ir.Scope) -> Replacement:
    """One of CUDA's atomic functions for an assignment such as `n += 1`, whose value nobody uses."""
    source = source_of(at, program.source)
    start, end = source.offset(at.line, at.column), source.offset(at.end_line, at.end_column)
    text = source.text[start:end]
    found = _STEP_BEFORE.fullmatch(text) or _UPDATE.fullmatch(text)
    if found is None or ending(source.text, end) != end + 1 or at.file.endswith((".litmus", ".ptx")):
        raise _UnsaidError
    parts = found.groupdict()
    to, sign, by = parts["to"].strip(), parts.get("op"), parts.get("by")
    if parts.get("step"):
        sign, by = parts["step"][0], "1"
    elif new := parts.get("new"):  # n = n + 1
        sum_ = re.fullmatch(re.escape(to) + r"\s*([-+&|^])\s*([\w.]+|\w+\[[\w.]+\])\s*", new)
        if sum_ is None:
            raise _UnsaidError
        sign, by = sum_[1], sum_[2]
    if not sign or not by or re.search(r"\+\+|--|[^=!<>]=[^=]", to):
        raise _UnsaidError
    place = to[1:].strip() if re.fullmatch(r"\*\s*\w+", to) else f"&{to}"
    return Replacement(
        source.span(start, end), f"{_FUNCTIONS[sign]}{FUNCTION_SCOPES[scope.name.lower()]}({place}, {by.strip()})"
    )
