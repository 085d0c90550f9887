"""Denotations of expressions while they are lowered."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.frontends.c.syntax import tree
    from scopec.frontends.scoped.lower.cpp_types import Element
    from scopec.program import ir
    from scopec.program.types import IntType
    from scopec.program.values import Value


@dataclass(frozen=True, slots=True)
class Computed:
    """A value that is not in memory."""

    value: Value


@dataclass(frozen=True, slots=True)
class Register:
    """A local variable that no other thread can see."""

    name: str
    type: IntType
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """An ordinary object in memory, or an element of one."""

    place: ir.Place
    type: IntType
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class Atomic:
    """An atomic object (or element), or an atomic_ref to an object."""

    place: ir.Place
    type: IntType
    scope: ir.Scope
    ref: bool = False


@dataclass(frozen=True, slots=True)
class Array:
    """A whole array in memory."""

    object: str
    element: Element
    length: int
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of an object; of an array, where its elements are counted from."""

    target: Variable | Atomic | Array


@dataclass(frozen=True, slots=True)
class Stream:
    """A variable of type ``cudaStream_t``, by its name; or its address."""

    name: str
    address: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """One of threadIdx, blockIdx, blockDim, gridDim."""

    name: str


@dataclass(frozen=True, slots=True)
class Group:
    """``this_thread_block()``, or with a ``size`` its tiles of so many lanes."""

    size: int | None = None


@dataclass(frozen=True, slots=True)
class Enumerator:
    """A memory order or a thread scope."""

    value: ir.Order | ir.Scope


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel, not yet launched."""

    definition: tree.Function


@dataclass(frozen=True, slots=True)
class Nothing:
    """The result of a call that has none."""


Operand: TypeAlias = (
    Computed | Register | Variable | Atomic | Array | Pointer | Stream | Index | Group | Enumerator | Kernel | Nothing
)

#: The words for an operand in a message.
_DESCRIBED: dict[type, str] = {
    Computed: "a value", Register: "a variable", Variable: "a variable", Atomic: "an atomic", Array: "an array",
    Pointer: "a pointer", Stream: "a stream", Index: "a vector of indices", Group: "a group",
    Enumerator: "an enumerator", Kernel: "a kernel", Nothing: "nothing (void)",
}  # fmt: skip


def describe(operand: Operand) -> str:
    """The words for an operand in a message."""
    return _DESCRIBED[type(operand)]
