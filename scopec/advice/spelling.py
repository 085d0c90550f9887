"""Edits as changes of the text, where one place says what is to change."""

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
    MakeAtomic,
    Strengthen,
    Synchronise,
    Update,
    Widen,
    WidenFence,
    is_ptx,
    places,
)
from scopec.base.files import source_of
from scopec.explain.fixes import Replacement
from scopec.frontends.ptx.table import ORDERS, SCOPES
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scopec.advice.edits import Edit
    from scopec.base.source import Span
    from scopec.program.program import Program

#: An order or a scope as each language writes it, behind a prefix.
_ORDER = re.compile(r"\b(memory_order(?:_|::))(?:relaxed|consume|acquire|release|acq_rel|seq_cst)\b")
_SCOPE = re.compile(r"\b(thread_scope_)(?:thread|block|device|system)\b")
_PTX_ORDER = re.compile(r"(\.)(?:relaxed|acquire|release|acq_rel)\b")
_PTX_SCOPE = re.compile(r"(\.)(?:cta|cluster|gpu)\b")
_FENCE = re.compile(r"()\b__threadfence(?:_block)?\(\)")
_LEGACY = re.compile(r"\b(atomic[A-Z]\w*?)_block\b")
_PTX_ORDERS = {order: word for word, order in ORDERS.items()}
_PTX_SCOPES = {scope: word for word, scope in SCOPES.items()}
#: Lines that a statement before or after them does not follow or come before.
_CONTROL = re.compile(r"\s*(?:[{}]|//@|(?:if|for|while|do|else|switch|return|case|default)\b)")


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
            yield _one(at, program, {_PTX_ORDER: _PTX_ORDERS.get(order)} if ptx else {_ORDER: order.value})
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
        case AddFence(at, scope, before):
            if at.file.endswith((".litmus", ".ptx")):
                raise _UnsaidError
            statement = f"{FENCES[scope]};"
            if is_ptx(at, program):
                statement = f'asm volatile("fence.sc.{_PTX_SCOPES[scope]};" ::: "memory");'
            yield _line(at, program, statement, before=before)
        case Synchronise(grid):
            yield _line(program.grids[grid].span, program, "cudaDeviceSynchronize();", before=False)
        case MakeAtomic() | Update() | Attribute() | Cooperate():
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


def _line(at: Span, program: Program, statement: str, *, before: bool) -> Replacement:
    """A statement in a line of its own, before or after the one that is at a place."""
    source = source_of(at, program.source)
    line, above = source.line(at.line), source.line(at.line - 1).rstrip()
    whole = at.line == at.end_line and line.rstrip().endswith(";") and not _CONTROL.match(line)
    if not whole or not (above.endswith((";", "{", "}")) or not above or above.lstrip().startswith("//")):
        raise _UnsaidError
    new = line[: len(line) - len(line.lstrip())] + statement + "\n"
    start = source.offset(at.line if before else at.line + 1, 1)
    return Replacement(source.span(start, start), new)
