"""LLVM IR as clang writes it at ``-O0``: types, constants, instructions (LLVM Language Reference Manual).

Only what the machine executes has a form; attributes, alignments and flags that change no result are passed over.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TypeAlias

from scopec.base.records import dataclass

# ---------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class Int:
    """``i32``: a number of so many bits, without a sign."""

    bits: int


@dataclass(frozen=True, slots=True)
class Float:
    """``float``, ``double`` and their kin, of so many bytes."""

    bytes: int


@dataclass(frozen=True, slots=True)
class Pointer:
    """``ptr``; ``space`` is its address space."""

    space: int = 0


@dataclass(frozen=True, slots=True)
class Array:
    """``[4 x i32]``; a vector ``<4 x i32>`` is one too."""

    count: int
    element: Type


@dataclass(frozen=True)
class Struct:
    """``{ i32, ptr }``, or packed ``<{ … }>``."""

    fields: tuple[Type, ...]
    packed: bool = False

    @cached_property
    def layout(self) -> tuple[tuple[int, ...], int, int]:
        """The offsets of its fields, its size and its alignment, in bytes; once, as a thread asks at each access."""
        at, whole, found = 0, 1, []
        for field in self.fields:
            if not self.packed:
                whole = max(whole, alignment(field))
                at = -(-at // alignment(field)) * alignment(field)
            found.append(at)
            at += size(field)
        return tuple(found), -(-at // whole) * whole, whole


@dataclass(frozen=True, slots=True)
class Void:
    """``void``, and types that no value has: labels, metadata."""


Type: TypeAlias = Int | Float | Pointer | Array | Struct | Void

# ---------------------------------------------------------------- operands


@dataclass(frozen=True, slots=True)
class Local:
    """``%name``: the result of an instruction, or a parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class Global:
    """``@name``: the address of a variable or function."""

    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """An integer constant; ``true`` is 1."""

    value: int


@dataclass(frozen=True, slots=True)
class Null:
    """``null``."""


@dataclass(frozen=True, slots=True)
class Zero:
    """``zeroinitializer``."""


@dataclass(frozen=True, slots=True)
class Undefined:
    """``undef``, as of an object without numbers, or ``poison``, of an operation without a result."""

    poison: bool = False


@dataclass(frozen=True, slots=True)
class Real:
    """A floating-point constant, as it is written; a number of which nothing is known without that."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """``c"…"``: the bytes of a string."""

    bytes: bytes


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The constant elements of an array or structure."""

    items: tuple[Typed, ...]


@dataclass(frozen=True, slots=True)
class Expression:
    """A constant expression: an instruction without a name."""

    instruction: Element | Cast | Arithmetic


Operand: TypeAlias = Local | Global | Number | Null | Zero | Undefined | Real | Text | Aggregate | Expression


@dataclass(frozen=True, slots=True)
class Typed:
    """An operand with its type."""

    type: Type
    operand: Operand


# ---------------------------------------------------------------- instructions


@dataclass(frozen=True, slots=True)
class Alloca:
    """Memory for a local variable."""

    type: Type
    count: Typed | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """A read of memory."""

    type: Type
    pointer: Typed
    volatile: bool


@dataclass(frozen=True, slots=True)
class Store:
    """A write to memory."""

    value: Typed
    pointer: Typed
    volatile: bool


@dataclass(frozen=True, slots=True)
class Element:
    """``getelementptr``: the address of a part of a ``type`` at ``pointer``."""

    type: Type
    pointer: Typed
    indices: tuple[Typed, ...]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``add``, ``udiv``, ``shl``…; ``flags`` are ``nsw`` and its kin."""

    opcode: str
    type: Type
    left: Operand
    right: Operand
    flags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Compare:
    """``icmp`` or, with an opcode of its own, ``fcmp``."""

    opcode: str
    predicate: str
    type: Type
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Cast:
    """``zext``, ``trunc``, ``ptrtoint``, ``addrspacecast``…"""

    opcode: str
    operand: Typed
    type: Type


@dataclass(frozen=True, slots=True)
class Select:
    """``select``."""

    condition: Typed
    then: Typed
    otherwise: Typed


@dataclass(frozen=True, slots=True)
class Phi:
    """``phi``: by the label of the block before."""

    type: Type
    incoming: tuple[tuple[Operand, str], ...]


@dataclass(frozen=True, slots=True)
class Extract:
    """``extractvalue`` and ``extractelement`` at known positions."""

    aggregate: Typed
    indices: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Insert:
    """``insertvalue`` and ``insertelement``."""

    aggregate: Typed
    value: Typed
    indices: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call; ``byval`` and ``sret`` are the types behind pointer arguments that are passed like that."""

    type: Type
    function: Operand
    arguments: tuple[Typed, ...]
    byval: tuple[Type | None, ...]


@dataclass(frozen=True, slots=True)
class Assembly:
    """Inline assembly; of a ``volatile`` one LLVM says that it has side effects, and of one without results."""

    type: Type
    text: str
    constraints: str
    arguments: tuple[Typed, ...]
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class Declare:
    """``#dbg_declare``: an address is that of a variable of the source, described by metadata, declared at a place."""

    address: Operand
    variable: str
    place: str


@dataclass(frozen=True, slots=True)
class Jump:
    """``br label``."""

    target: str


@dataclass(frozen=True, slots=True)
class Branch:
    """``br i1``."""

    condition: Operand
    then: str
    otherwise: str


@dataclass(frozen=True, slots=True)
class Switch:
    """``switch``."""

    value: Typed
    default: str
    cases: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Return:
    """``ret``."""

    value: Typed | None


@dataclass(frozen=True, slots=True)
class Unreachable:
    """``unreachable``."""


@dataclass(frozen=True, slots=True)
class Other:
    """An instruction that has no form here: what is refused where it is executed, and maybe with what words."""

    opcode: str
    message: str = ""
    help: str | None = None


Action: TypeAlias = (
    Alloca
    | Load
    | Store
    | Element
    | Arithmetic
    | Compare
    | Cast
    | Select
    | Phi
    | Extract
    | Insert
    | Call
    | Assembly
    | Declare
    | Jump
    | Branch
    | Switch
    | Return
    | Unreachable
    | Other
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction: what is done, the name of its result, the metadata of its place in the source and of the type
    that a `new` makes objects of.
    """

    action: Action
    result: str | None
    place: str | None
    allocates: str | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """A function with a body: parameters by name and type, blocks by label, the first one first.

    ``origins`` are the labels and positions that copies of instructions had in the text.
    """

    name: str
    parameters: tuple[tuple[str, Type], ...]
    byval: tuple[Type | None, ...]
    blocks: dict[str, tuple[Instruction, ...]]
    kernel: bool
    subprogram: str | None
    origins: dict[tuple[str, int], tuple[str, int]] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Variable:
    """A global variable; ``initial`` is None for one that is declared elsewhere."""

    name: str
    type: Type
    space: int
    constant: bool
    initial: Operand | None
    debug: tuple[str, ...]


# ---------------------------------------------------------------- layout


def size(type_: Type) -> int:
    """Bytes of a type in memory, on the platforms of CUDA (LP64), which are alike on host and device."""
    match type_:
        case Int(bits):
            return 1 << max(0, (bits - 1).bit_length() - 3)
        case Float(bytes_):
            return bytes_
        case Pointer(space):
            return 4 if space in (3, 5, 6) else 8
        case Array(count, element):
            return count * size(element)
        case Struct():
            return type_.layout[1]
        case Void():
            return 0


def alignment(type_: Type) -> int:
    """The alignment in bytes that a type has by itself."""
    match type_:
        case Array(_, element):
            return alignment(element)
        case Struct():
            return type_.layout[2]
        case _:
            return max(1, size(type_))


def offsets(type_: Struct) -> tuple[int, ...]:
    """The offsets of the fields of a structure, in bytes."""
    return type_.layout[0]


def is_trap(action: Action) -> bool:
    """Whether control ends here, since an operation of C++ has no result."""
    return isinstance(action, Call) and action.function == Global("llvm.ubsantrap")
