"""Types and expressions of a scoped-CUDA file, as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.base.source import Span


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type as written: specifiers, a name with template arguments, and how many pointer marks.

    ``name`` is the spelling without specifiers (``int``, ``unsigned long long``, ``cuda::atomic``); ``specifiers`` are
    the others in the order written (``__device__``, ``constexpr``, ``volatile``, …).
    """

    span: Span
    name: str
    arguments: tuple[TypeName | Expr, ...] = ()
    specifiers: tuple[str, ...] = ()
    pointers: int = 0


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Int:
    """An integer literal: its value and whether a suffix or its size makes it unsigned or long."""

    span: Span
    value: int
    unsigned: bool = False
    long: bool = False


@dataclass(frozen=True, slots=True)
class Bool:
    """``true`` or ``false``."""

    span: Span
    value: bool


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier, qualified or not, as written; with the argument that a function template is given."""

    span: Span
    name: str
    argument: Expr | None = None


@dataclass(frozen=True, slots=True)
class Comma:
    """``left, right``."""

    span: Span
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Unary:
    """``! ~ + - * &`` applied to an operand."""

    span: Span
    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """An arithmetic, bitwise, shift, comparison or logical operator."""

    span: Span
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Conditional:
    """``condition ? then : otherwise``."""

    span: Span
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Assign:
    """``target = value``, or ``target op= value`` with ``op`` set."""

    span: Span
    op: str | None
    target: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Step:
    """``++x``, ``x++``, ``--x`` or ``x--``."""

    span: Span
    op: str
    prefix: bool
    target: Expr


@dataclass(frozen=True, slots=True)
class Member:
    """``object.name``."""

    span: Span
    object: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Index:
    """``object[index]``."""

    span: Span
    object: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """``function(arguments)``."""

    span: Span
    function: Expr
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Construct:
    """``Type(argument)``: a temporary object."""

    span: Span
    type: TypeName
    argument: Expr


@dataclass(frozen=True, slots=True)
class Cast:
    """``(Type) operand``."""

    span: Span
    type: TypeName
    operand: Expr


@dataclass(frozen=True, slots=True)
class SizeOf:
    """``sizeof(Type)`` or ``sizeof(name)``."""

    span: Span
    operand: TypeName | Name


@dataclass(frozen=True, slots=True)
class Launch:
    """``kernel<<<configuration>>>(arguments)``."""

    span: Span
    kernel: Name
    configuration: tuple[Expr, ...]
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class ThreadLocal:
    """``kernel#2[block][thread].name`` and the like, in expectations only: the head ``kernel#2``."""

    span: Span
    kernel: str
    launch: int


Expr: TypeAlias = (
    Int
    | Bool
    | Name
    | Comma
    | Unary
    | Binary
    | Conditional
    | Assign
    | Step
    | Member
    | Index
    | Call
    | Construct
    | Cast
    | SizeOf
    | Launch
    | ThreadLocal
)
