"""The syntax tree of PTX: what was written, before any meaning is given to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.base.source import Span


@dataclass(frozen=True, slots=True)
class Name:
    """A register (``%tid.x`` too), a label, a location, or an operand of inline assembly (``$0``)."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """An integer, its sign included; ``unsigned`` is whether its type is ``.u64``, not ``.s64``."""

    span: Span
    value: int
    unsigned: bool = False


@dataclass(frozen=True, slots=True)
class Real:
    """A floating-point number: which one makes a difference to comparisons of constants alone."""

    span: Span
    value: float


@dataclass(frozen=True, slots=True)
class Element:
    """``[x]`` or ``[x + 4]``: memory at an address, ``offset`` in bytes; ``[240]`` has no name."""

    span: Span
    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Indexed:
    """``x[1]``, ``x[r]`` or ``x[r + 1]``: an element of an array, at the sum of a register and a number."""

    span: Span
    name: str
    register: str | None
    number: int


@dataclass(frozen=True, slots=True)
class Offset:
    """``x + 4``: an address so many bytes behind that of a variable."""

    span: Span
    name: str
    offset: int


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


@dataclass(frozen=True, slots=True)
class Arguments:
    """``(a, b)``: what a call gives, or takes; ``[a, {b}]``: a place in a texture, a surface or a tensor."""

    span: Span
    items: tuple[Operand, ...]


Operand: TypeAlias = Name | Number | Real | Element | Indexed | Offset | Vector | Negated | Pair | Arguments


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


@dataclass(frozen=True, slots=True)
class Object:
    """``.global .align 4 .b8 x[8] = {1, 0};``: memory.

    The words without their dots; names, each with the number of its elements (None without brackets, 0 where they are
    empty); the alignment in bytes (0 where none is written); the initial value.
    """

    span: Span
    words: tuple[str, ...]
    names: tuple[tuple[str, int | None], ...]
    alignment: int = 0
    value: Operand | None = None
    external: bool = False


@dataclass(frozen=True, slots=True)
class Location:
    """``.loc 1 5 3``: the number of the file, the line and the column of what follows, and where that was inlined."""

    span: Span
    at: tuple[int, int, int]
    around: tuple[int, int, int] | None


@dataclass(frozen=True, slots=True)
class Targets:
    """``table: .branchtargets A, B;``: the labels that ``brx.idx`` chooses from."""

    span: Span
    name: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prototype:
    """``name: .callprototype (…) _ (…);``: what a function takes and gives that is called by its address."""

    span: Span
    name: str
    results: tuple[Object, ...]
    parameters: tuple[Object, ...]


Statement: TypeAlias = Label | Instruction | Declaration | Block | Object | Location | Targets | Prototype


def instructions(block: Block | None) -> Iterator[Instruction]:
    """The instructions in a block, those of blocks in it too."""
    for item in block.items if block is not None else ():
        if isinstance(item, Instruction):
            yield item
        elif isinstance(item, Block):
            yield from instructions(item)


@dataclass(frozen=True, slots=True)
class File:
    """``.file 1 "a.cu"``."""

    span: Span
    number: int
    name: str


@dataclass(frozen=True, slots=True)
class Function:
    """``.entry`` or ``.func``; no body where it is declared.  ``limits`` are what is said of launches: ``reqntid``."""

    span: Span
    name: str
    entry: bool
    results: tuple[Object, ...]
    parameters: tuple[Object, ...]
    body: Block | None
    limits: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Module:
    """The content of a file."""

    functions: tuple[Function, ...]
    objects: tuple[Object, ...]
    files: tuple[File, ...]
