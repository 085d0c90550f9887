"""What an expression denotes while it is lowered."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.frontends.scoped.lower.cpp_types import PointerType, StructType, SyncType, Type
    from scopec.frontends.scoped.syntax import tree
    from scopec.program import ir
    from scopec.program.types import IntType
    from scopec.program.values import Value


# ---------------------------------------------------------------- values and places


@dataclass(frozen=True, slots=True)
class Computed:
    """A value that is not in memory; ``pointee`` is set where it is a pointer's."""

    value: Value
    pointee: PointerType | None = None


@dataclass(frozen=True, slots=True)
class Register:
    """A local variable that no other thread can see."""

    name: str
    type: IntType
    constant: bool = False
    pointee: PointerType | None = None


@dataclass(frozen=True, slots=True)
class Variable:
    """An ordinary object in memory, or an element of one.

    ``type`` is how it is seen, which may differ from the object's in its sign.
    """

    place: ir.Place
    type: IntType
    volatile: bool = False
    pointee: PointerType | None = None


@dataclass(frozen=True, slots=True)
class Atomic:
    """An atomic object, or an atomic_ref to an object."""

    place: ir.Place
    type: IntType
    scope: ir.Scope
    pointee: PointerType | None = None


@dataclass(frozen=True, slots=True)
class Sync:
    """A barrier, latch or semaphore."""

    place: ir.Place
    type: SyncType


@dataclass(frozen=True, slots=True)
class Array:
    """A whole array in memory: ``index`` is the number of the array among those around it, 0 if it stands alone."""

    object: str
    index: Value
    element: Type
    length: int
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class Structure:
    """An object of a class in memory: the objects of its members are called ``object.member``."""

    object: str
    index: Value
    type: StructType
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class Fields:
    """An object of a class whose members live apart, in registers where they can."""

    type: StructType
    members: dict[str, Operand]


@dataclass(frozen=True, slots=True)
class Elements:
    """An array whose elements are known one by one while the program is lowered: of handles, or of pointers."""

    items: list[Operand]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of an object that is known when the program is compiled; None for a null pointer."""

    target: Operand | None


@dataclass(eq=False)
class PointerVariable:
    """A pointer that is followed while the program is lowered: ``binding`` is what it points to now."""

    name: str
    type: PointerType
    binding: Operand | None = None


# ---------------------------------------------------------------- what the libraries' handles denote


@dataclass(frozen=True, slots=True)
class StreamHandle:
    """The value of a ``cudaStream_t``."""

    stream: ir.Stream


@dataclass(frozen=True, slots=True)
class Stream:
    """A variable of type ``cudaStream_t``, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Event:
    """A variable of type ``cudaEvent_t``, by its name."""

    name: str


@dataclass(eq=False)
class HostThread:
    """A variable of type ``std::thread`` or ``std::jthread``; ``thread`` is the thread that it holds now, if any."""

    name: str
    joins: bool
    thread: str | None = None


@dataclass(eq=False)
class Record:
    """A ``dim3`` or a structure that configures a launch: its members are followed while the program is lowered."""

    members: dict[str, Operand] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Index:
    """One of threadIdx, blockIdx, blockDim, gridDim."""

    name: str


@dataclass(frozen=True, slots=True)
class Group:
    """A group of cooperative_groups: ``block``, ``grid``, ``cluster``, or ``tile`` of ``size`` lanes."""

    kind: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """A string."""


# ---------------------------------------------------------------- names


@dataclass(frozen=True, slots=True)
class Enumerator:
    """A memory order or a thread scope."""

    value: ir.Order | ir.Scope


@dataclass(frozen=True, slots=True)
class TypeNamed:
    """A type."""

    type: Type


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the file, not yet called."""

    name: str
    definition: tree.Function


@dataclass(frozen=True, slots=True)
class Nothing:
    """The result of a call that has none."""


Operand: TypeAlias = (
    Computed
    | Register
    | Variable
    | Atomic
    | Sync
    | Array
    | Structure
    | Fields
    | Elements
    | Pointer
    | PointerVariable
    | StreamHandle
    | Stream
    | Event
    | HostThread
    | Record
    | Index
    | Group
    | Text
    | Enumerator
    | TypeNamed
    | Function
    | Nothing
)

#: What to call an operand in a message.
_DESCRIBED: dict[type, str] = {
    Computed: "a value", Register: "a variable", Variable: "a variable", Atomic: "an atomic", Array: "an array",
    Elements: "an array", Pointer: "a pointer", PointerVariable: "a pointer",
    StreamHandle: "a stream", Stream: "a stream", Event: "an event", HostThread: "a thread",
    Index: "a vector of indices", Group: "a group", Record: "a record", Text: "a string", Enumerator: "an enumerator",
    TypeNamed: "a type", Function: "a function", Nothing: "nothing (void)",
}  # fmt: skip


def describe(operand: Operand) -> str:
    """What to call an operand in a message."""
    match operand:
        case Structure(type=type_) | Fields(type=type_):
            return f"an object of class {type_.name}"
        case Sync(type=type_):
            return f"a {type_.use.value}"
        case Computed(pointee=pointee) | Register(pointee=pointee) | Variable(pointee=pointee) if pointee is not None:
            return "a pointer"
        case _:
            return _DESCRIBED[type(operand)]
