"""The syntax tree of a litmus file: what was written, before any meaning is given to it.

Statements and expressions of the C dialects are those of :mod:`scopec.frontends.c.syntax.tree`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.c.syntax import tree
    from scopec.frontends.ptx import forms

Dialect = Literal["C", "OPENCL", "PTX"]
Quantifier = Literal["exists", "not exists", "forall"]

# ---------------------------------------------------------------- what a file names


@dataclass(frozen=True, slots=True)
class Memory:
    """A location in memory: ``x``, ``[x]``, ``*x``, ``x[1]``."""

    span: Span
    name: str
    index: int = 0


@dataclass(frozen=True, slots=True)
class Register:
    """A register of a thread: ``0:r0`` or ``P0:r0``; ``thread`` is ``P0``."""

    span: Span
    thread: str
    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """An integer, its sign included."""

    span: Span
    value: int


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a location: ``&x``."""

    span: Span
    name: str
    index: int = 0


@dataclass(frozen=True, slots=True)
class Numbers:
    """The initial values of an array: ``{1, 2}``."""

    span: Span
    values: tuple[int, ...]


# ---------------------------------------------------------------- initial state


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of the initial state; ``value`` is a name where it may be an address or a location."""

    span: Span
    target: Memory | Register
    type: tree.TypeName | None
    size: int | None
    value: Number | Numbers | Address | Memory | None


@dataclass(frozen=True, slots=True)
class Alias:
    """``s @ surface aliases x``: another name of a location, through a proxy; through the generic one an address."""

    span: Span
    name: Name
    proxy: Name
    target: Name


# ---------------------------------------------------------------- threads


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One part of a thread's place: ``cta 0``."""

    span: Span
    level: str
    number: int


@dataclass(frozen=True, slots=True)
class CThread:
    """A thread of the C dialects: ``P0 @ wg 0, dev 0 (atomic_int* x) { … }``."""

    span: Span
    name: str
    place: tuple[Coordinate, ...]
    parameters: tuple[tree.Parameter, ...]
    body: tree.Block


@dataclass(frozen=True, slots=True)
class Name:
    """A thread in a scope tree, or a location that a program names."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class PtxThread:
    """A column of a PTX file: its place and its labels and instructions from top to bottom."""

    span: Span
    name: str
    place: tuple[Coordinate, ...]
    code: tuple[forms.Label | forms.Instruction, ...]


# ---------------------------------------------------------------- what follows the program


@dataclass(frozen=True, slots=True)
class Group:
    """A node of a scope tree: ``(work_group P0 P1)``."""

    span: Span
    level: str
    members: tuple[Group | Name, ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """``true`` or ``false``."""

    span: Span
    value: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left op right``; ``op`` is written as in C++."""

    span: Span
    op: str
    left: Observed
    right: Observed


@dataclass(frozen=True, slots=True)
class Not:
    """``~ operand``."""

    span: Span
    operand: Condition


@dataclass(frozen=True, slots=True)
class Join:
    """``left op right`` with ``op`` one of ``&&``, ``||``."""

    span: Span
    op: str
    left: Condition
    right: Condition


Observed: TypeAlias = Memory | Register | Address | Number
Condition: TypeAlias = Truth | Comparison | Not | Join


@dataclass(frozen=True, slots=True)
class Clause:
    """The final clause: ``exists``, ``~exists`` or ``forall`` and its condition."""

    span: Span
    quantifier: Quantifier
    condition: Condition


@dataclass(frozen=True, slots=True)
class Footer:
    """The part behind the program; ``locations`` are only shown by other tools, and checked here to exist."""

    scopes: Group | None = None
    locations: tuple[Memory | Register, ...] = ()
    filter: Condition | None = None
    clause: Clause | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A whole litmus file; ``directives`` are those of its ``//@`` comments."""

    name: str
    dialect: Dialect
    initial: tuple[Entry | Alias, ...]
    threads: tuple[CThread, ...] | tuple[PtxThread, ...]
    footer: Footer
    directives: tuple[tree.Directive, ...]
