"""Types: what a written type means, and how objects of it are laid out."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass
from scopec.program.ir import Scope, Use
from scopec.program.types import IntType

if TYPE_CHECKING:
    from scopec.frontends.scoped.syntax import tree


@dataclass(frozen=True, slots=True)
class VoidType:
    """``void``."""


@dataclass(frozen=True, slots=True)
class AutoType:
    """``auto``: the type of the initial value."""


@dataclass(frozen=True, slots=True)
class EnumType:
    """``thread_scope`` or ``memory_order``."""

    name: str


@dataclass(frozen=True, slots=True)
class HandleType:
    """A type of the libraries whose objects are followed while the program is lowered, not at run time.

    ``name`` is ``stream``, ``event``, ``thread``, ``jthread``, ``group``, ``record`` (``dim3``, launch configurations
    and their attributes) or ``text``.
    """

    name: str


@dataclass(frozen=True, slots=True)
class PointerType:
    """A pointer; through one to ``volatile`` every access is volatile."""

    target: Type
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class ReferenceType:
    """A reference; through one to ``volatile`` every access is volatile."""

    target: Type
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array of known length."""

    element: Type
    length: int


@dataclass(frozen=True, slots=True)
class AtomicType:
    """``atomic<T, S>``, or ``atomic_ref<T, S>`` with ``ref``; ``T`` is an integer or pointer type."""

    value: IntType | PointerType
    scope: Scope
    ref: bool


@dataclass(frozen=True, slots=True)
class SyncType:
    """A barrier, latch or semaphore; ``limit`` is the most that a semaphore counts to, None where it is unlimited."""

    use: Use
    scope: Scope
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A data member: its type, default initialiser, and whether it is volatile."""

    name: str
    type: Type
    init: tree.Initialiser | None
    volatile: bool
    span: object


@dataclass(eq=False)
class StructType:
    """A class, by its name: data members and no more."""

    name: str
    fields: list[Field] = field(default_factory=list)

    def field(self, name: str) -> Field | None:
        """The data member of a name."""
        return next((f for f in self.fields if f.name == name), None)


Type: TypeAlias = (
    IntType
    | VoidType
    | AutoType
    | EnumType
    | HandleType
    | PointerType
    | ReferenceType
    | ArrayType
    | AtomicType
    | SyncType
    | StructType
)

#: What a pointer is made of in memory: the number of the object that it points to, 0 for none (see ``pointers``).
ADDRESS = IntType("pointer", 64, signed=True)
#: A phase of a barrier, which its members return and wait for.
ARRIVAL_TOKEN = IntType("arrival_token", 64, signed=True)
_SYNC_NAMES = {Use.BARRIER: "barrier", Use.LATCH: "latch", Use.SEMAPHORE: "counting_semaphore"}


def shown(type_: Type) -> str:
    """A type for messages."""
    match type_:
        case IntType(name=name) | EnumType(name=name) | StructType(name=name):
            return name
        case VoidType():
            return "void"
        case AutoType():
            return "auto"
        case HandleType(name):
            return f"a {name}"
        case PointerType(target, volatile):
            return f"{'volatile ' if volatile else ''}{shown(target)}*"
        case ReferenceType(target, volatile):
            return f"{'volatile ' if volatile else ''}{shown(target)}&"
        case ArrayType(element, length):
            return f"{shown(element)}[{length}]"
        case AtomicType(value, scope, ref):
            return f"{'atomic_ref' if ref else 'atomic'}<{shown(value)}, {scope.name.lower()}>"
        case SyncType(use, scope, _):
            return f"{_SYNC_NAMES[use]}<{scope.name.lower()}>"


def size_of(type_: Type) -> int | None:
    """``sizeof``, None for types that have none."""
    match type_:
        case IntType(size=size):
            return size
        case PointerType() | HandleType():
            return 8
        case ReferenceType(target):
            return size_of(target)
        case ArrayType(element, length):
            one = size_of(element)
            return None if one is None else one * length
        case AtomicType(value, _, ref):
            return 8 if ref else size_of(value)
        case SyncType():
            return 8
        case StructType():
            return _struct_size(type_)
        case EnumType():
            return 4
        case VoidType() | AutoType():
            return None


def _struct_size(type_: StructType) -> int | None:
    offset = 0
    for member in type_.fields:
        size, align = size_of(member.type), align_of(member.type)
        if size is None:
            return None
        offset = -(-offset // align) * align + size
    whole = align_of(type_)
    return max(1, -(-offset // whole)) * whole


def align_of(type_: Type) -> int:
    """The natural alignment."""
    match type_:
        case ArrayType(element, _) | ReferenceType(element):
            return align_of(element)
        case StructType(fields=fields):
            return max([1, *(align_of(f.type) for f in fields)])
        case _:
            return size_of(type_) or 1


def leaf_type(type_: Type) -> IntType | None:
    """What an object of a scalar, pointer, atomic or synchronisation type holds in memory; None for others."""
    match type_:
        case IntType():
            return type_
        case PointerType():
            return ADDRESS
        case AtomicType(value=value, ref=False):
            return leaf_type(value)
        case SyncType():
            return IntType("long", 64, signed=True)
        case _:
            return None
