"""The syntax tree of PTX: what was written, before any meaning is given to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.base.source import Span


@dataclass(frozen=True, slots=True)
class Name:
    """A register (``%tid.x`` too), a label, a location, or an operand of inline assembly (``$0``)."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """An integer, its sign included."""

    span: Span
    value: int


@dataclass(frozen=True, slots=True)
class Real:
    """A floating-point number: which one makes no difference."""

    span: Span


@dataclass(frozen=True, slots=True)
class Element:
    """``[x]`` or ``[x + 4]``: memory at an address, ``offset`` in bytes."""

    span: Span
    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Vector:
    """``{a, b}``: the elements of a vector."""

    span: Span
    items: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Negated:
    """``!p``: what a predicate is not."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Pair:
    """``d|p``: two results, ``_`` for one that is not wanted."""

    span: Span
    first: str
    second: str


Operand: TypeAlias = Name | Number | Real | Element | Vector | Negated | Pair


@dataclass(frozen=True, slots=True)
class Predicate:
    """``@p`` or ``@!p`` before an instruction, which is executed where the register is ``truth``."""

    span: Span
    register: str
    truth: bool


@dataclass(frozen=True, slots=True)
class Instruction:
    """``ld.acquire.gpu r0, x``: the parts of the operation between its dots, and the operands."""

    span: Span
    operation: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Predicate | None = None

    @property
    def name(self) -> str:
        """The operation as it is written."""
        return ".".join(self.operation)


@dataclass(frozen=True, slots=True)
class Label:
    """``LC00:``."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """``.reg .b32 a, b;``: registers of a type."""

    span: Span
    type: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """``{ … }``: what is declared in it is known in it alone."""

    span: Span
    items: tuple[Statement, ...]


Statement: TypeAlias = Label | Instruction | Declaration | Block
