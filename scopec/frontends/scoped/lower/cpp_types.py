"""Types: what a written type means."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass
from scopec.program.types import IntType

if TYPE_CHECKING:
    from scopec.program.ir import Scope


@dataclass(frozen=True, slots=True)
class VoidType:
    """``void``."""


@dataclass(frozen=True, slots=True)
class AutoType:
    """``auto``: the type of a constant's value."""


@dataclass(frozen=True, slots=True)
class EnumType:
    """``thread_scope`` or ``memory_order``."""

    name: str


@dataclass(frozen=True, slots=True)
class StreamType:
    """``cudaStream_t``."""


@dataclass(frozen=True, slots=True)
class AtomicType:
    """``atomic<T, S>``, or ``atomic_ref<T, S>`` with ``ref``."""

    value: IntType
    scope: Scope
    ref: bool


#: The types of objects in memory, and of their elements.
Element: TypeAlias = IntType | AtomicType


@dataclass(frozen=True, slots=True)
class PointerType:
    """A pointer; through one to ``volatile`` every access is volatile."""

    target: Element
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array of known length."""

    element: Element
    length: int


Type: TypeAlias = IntType | VoidType | AutoType | EnumType | StreamType | PointerType | ArrayType | AtomicType


def shown(type_: Element) -> str:
    """A type for messages."""
    match type_:
        case IntType(name=name):
            return name
        case AtomicType(value, scope, ref):
            return f"{'atomic_ref' if ref else 'atomic'}<{shown(value)}, {scope.name.lower()}>"


def held(type_: Element) -> IntType:
    """The content of an object of a type in memory."""
    return type_.value if isinstance(type_, AtomicType) else type_


def size_of(type_: Type) -> int | None:
    """``sizeof``, None for types that have none."""
    match type_:
        case IntType(size=size):
            return size
        case PointerType() | StreamType() | AtomicType(ref=True):
            return 8
        case ArrayType(element, length):
            return held(element).size * length
        case AtomicType(value=value):
            return value.size
        case EnumType():
            return 4
        case VoidType() | AutoType():
            return None
