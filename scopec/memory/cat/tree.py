"""Syntax of the cat language (grammar/cat.lark)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from scopec.source import Span


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
    """``[S]``: the identity on a set."""

    span: Span
    operand: Expr


@dataclass(frozen=True, slots=True)
class End:
    """``domain r`` or ``range r``."""

    span: Span
    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Application:
    """``f(e, …)``: a defined function applied."""

    span: Span
    function: str
    arguments: tuple[Expr, ...]


Expr: TypeAlias = Name | Universe | Zero | Binary | Postfix | Complement | IdentityOn | End | Application


@dataclass(frozen=True, slots=True)
class Let:
    """``let name = e`` or ``let f(p, …) = e``."""

    span: Span
    name: str
    parameters: tuple[str, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class LetRec:
    """``let rec …``."""

    span: Span
    bindings: tuple[Let, ...]


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
class Ignored:
    """``show`` and ``unshow``: for drawings, without meaning here."""

    span: Span


Statement: TypeAlias = Let | LetRec | Check | Include | If | Ignored


@dataclass(frozen=True, slots=True)
class File:
    """A whole .cat file; ``title`` is its header."""

    title: str
    statements: tuple[Statement, ...]
