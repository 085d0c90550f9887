"""``let rec`` as closures: the least solution of an equation whose right-hand side mentions the name at its ends."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.memory.cat import tree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from scopec.base.diagnostics import InputError
    from scopec.base.source import Span


def closed_form(name: str, body: tree.Expr, shown: str) -> tree.Expr:
    """The least relation ``X`` with ``X = body``, where ``body`` is resolved and calls it ``name``.

    ``B | X;R`` is ``B;R*``, ``B | L;X`` is ``L*;B``, ``B | X;M;X`` is ``B;(M;B)*`` (and ``B | X;X`` is ``B+``); with
    several of them, ``Y = L*;B;R*`` takes the place of B in the last.  Raises InputError at any other term.
    """
    if not _mentions(body, name):
        return body
    base: list[tree.Expr] = []
    before: list[tree.Expr] = []
    after: list[tree.Expr] = []
    between: list[tree.Expr | None] = []
    for term in _terms(body):
        first, *rest = _factors(term)
        match [_is(first, name), *(_is(factor, name) for factor in rest)]:
            case [True]:
                continue  # X = X | … adds nothing
            case [True, *_, True] if not any(_mentions(f, name) for f in rest[:-1]):
                between.append(_chain(rest[:-1]) if rest[:-1] else None)
            case [True, *_] if not any(_mentions(f, name) for f in rest):
                after.append(_chain(rest))
            case [*_, True] if not any(_mentions(f, name) for f in (first, *rest[:-1])):
                before.append(_chain([first, *rest[:-1]]))
            case _ if not _mentions(term, name):
                base.append(term)
            case _:
                raise _outside(term.span, f"`{shown}` is not at an end of this term, so its equation is not a closure")
    if not base:
        raise _outside(body.span, f"every term of `{shown}` needs `{shown}`, so it is empty")
    span = body.span
    parts = [_union(base)]
    if before:
        parts.insert(0, tree.Postfix(span, "*", _union(before)))
    if after:
        parts.append(tree.Postfix(span, "*", _union(after)))
    whole = _chain(parts)
    if not between:
        return whole
    if between == [None]:
        return tree.Postfix(span, "+", whole)
    steps = _union(whole if middle is None else _chain([middle, whole]) for middle in between)
    return _chain([whole, tree.Postfix(span, "*", steps)])


def grows(expr: tree.Expr, defined: Collection[str]) -> bool:
    """Whether a resolved expression only grows with the relations that are called so."""
    match expr:
        case tree.Binary(_, "\\", left, right):
            return grows(left, defined) and not tree.names(right) & set(defined)
        case tree.Complement(_, operand):
            return not tree.names(operand) & set(defined)
        case tree.Binary(_, _, left, right):
            return grows(left, defined) and grows(right, defined)
        case tree.Postfix(_, _, operand) | tree.End(_, _, operand) | tree.IdentityOn(_, operand):
            return grows(operand, defined)
        case _:
            return True


def _outside(span: Span, message: str) -> InputError:
    help_ = "scopec reads `B | X;R`, `B | L;X` and `B | X;M;X`"
    return error(Code.OUTSIDE_SUBSET, message, span, help_)


def _mentions(expr: tree.Expr, name: str) -> bool:
    return name in tree.names(expr)


def _is(expr: tree.Expr, name: str) -> bool:
    return isinstance(expr, tree.Name) and expr.name == name


def _terms(expr: tree.Expr) -> Iterator[tree.Expr]:
    match expr:
        case tree.Binary(_, "|", left, right):
            yield from _terms(left)
            yield from _terms(right)
        case _:
            yield expr


def _factors(expr: tree.Expr) -> Iterator[tree.Expr]:
    match expr:
        case tree.Binary(_, ";", left, right):
            yield from _factors(left)
            yield from _factors(right)
        case _:
            yield expr


def _chain(parts: Iterable[tree.Expr]) -> tree.Expr:
    return reduce(lambda a, b: tree.Binary(a.span.to(b.span), ";", a, b), parts)


def _union(parts: Iterable[tree.Expr]) -> tree.Expr:
    return reduce(lambda a, b: tree.Binary(a.span.to(b.span), "|", a, b), parts)
