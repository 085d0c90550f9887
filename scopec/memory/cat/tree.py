"""Syntax of the cat language (grammar/cat.lark)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, assert_never

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Hashable

    from scopec.base.source import Span


@dataclass(frozen=True, slots=True)
class Name:
    """A set or relation, given or defined."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Universe:
    """``_``: every event, or every pair of events."""

    span: Span


@dataclass(frozen=True, slots=True)
class Zero:
    """``0``: the empty set or relation."""

    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """``| ; \\ & *`` (the last is the Cartesian product of two sets)."""

    span: Span
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Postfix:
    """``+ * ? ^-1``."""

    span: Span
    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Complement:
    """``~e``."""

    span: Span
    operand: Expr


@dataclass(frozen=True, slots=True)
class IdentityOn:
    """``[S]`` or ``toid S``: the identity on a set."""

    span: Span
    operand: Expr


@dataclass(frozen=True, slots=True)
class End:
    """``domain r`` or ``range r``: the set of first or last events of pairs."""

    span: Span
    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Application:
    """``f(e, …)``: a defined function applied."""

    span: Span
    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class LetIn:
    """``let … in e``: an expression with names of its own."""

    span: Span
    bindings: tuple[Binding, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Try:
    """``try e with f``: ``f`` where ``e`` names what is not defined."""

    span: Span
    body: Expr
    otherwise: Expr


Expr: TypeAlias = Name | Universe | Zero | Binary | Postfix | Complement | IdentityOn | End | Application | LetIn | Try


def names(expr: Expr) -> frozenset[str]:
    """The names of sets and relations that occur in an expression."""
    match expr:
        case Name(_, name):
            return frozenset({name})
        case Universe() | Zero():
            return frozenset()
        case Binary(_, _, left, right):
            return names(left) | names(right)
        case Postfix(_, _, operand) | End(_, _, operand) | Complement(_, operand) | IdentityOn(_, operand):
            return names(operand)
        case Application(_, _, arguments):
            return frozenset[str]().union(*map(names, arguments))
        case LetIn() | Try():
            raise AssertionError("resolved")
        case _:
            assert_never(expr)


def shape(expr: Expr) -> Hashable:
    """An expression without its places in the text."""
    match expr:
        case Name(_, name):
            return name
        case Universe() | Zero():
            return (type(expr).__name__,)
        case Binary(_, op, left, right):
            return op, shape(left), shape(right)
        case Postfix(_, op, operand) | End(_, op, operand):
            return op, shape(operand)
        case Complement(_, operand) | IdentityOn(_, operand):
            return type(expr).__name__, shape(operand)
        case Application() | LetIn() | Try():
            raise AssertionError("resolved")
        case _:
            assert_never(expr)


@dataclass(frozen=True, slots=True)
class Binding:
    """``name = e`` or ``f(p, …) = e``."""

    span: Span
    name: str
    parameters: tuple[str, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Let:
    """``let …``, its bindings joined by ``and``; ``recursive`` after ``rec``, maybe with a check behind ``when``."""

    span: Span
    bindings: tuple[Binding, ...]
    recursive: bool = False
    when: Check | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """``acyclic e as name`` and the like; ``flag`` marks what is reported rather than required."""

    span: Span
    flag: bool
    negated: bool
    check: str
    expr: Expr
    name: str | None


@dataclass(frozen=True, slots=True)
class WithFrom:
    """``with x from e``: the rest of the file for each ``x`` of ``e``, a call that gives orders."""

    span: Span
    name: str
    orders: Expr


@dataclass(frozen=True, slots=True)
class Include:
    """``include "file"``."""

    span: Span
    file: str


@dataclass(frozen=True, slots=True)
class If:
    """``if "option=value" … else … end``."""

    span: Span
    condition: str
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Show:
    """``show`` and ``unshow``: for drawings, without meaning here; what they name must exist."""

    span: Span
    shown: tuple[Expr, ...]


Statement: TypeAlias = Let | Check | WithFrom | Include | If | Show


@dataclass(frozen=True, slots=True)
class File:
    """A whole .cat file; ``headers`` are the names and strings before its first statement."""

    headers: tuple[str, ...]
    statements: tuple[Statement, ...]
