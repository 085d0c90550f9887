"""What an expression denotes while it is lowered."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.records import dataclass

if TYPE_CHECKING:
    from scopec.program import ir
    from scopec.program.types import IntType
    from scopec.program.values import Value
    from scopec.syntax import tree


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
class Array:
    """A whole array object."""

    object: str
    element: Variable | Atomic


@dataclass(frozen=True, slots=True)
class Atomic:
    """An atomic object, or an atomic_ref to an object."""

    place: ir.Place
    type: IntType
    scope: ir.Scope


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of an object that is known when the program is compiled."""

    target: Variable | Atomic | Array | Register | Stream | Event


@dataclass(frozen=True, slots=True)
class StreamHandle:
    """The value of a ``cudaStream_t``."""

    stream: ir.Stream


@dataclass(frozen=True, slots=True)
class Stream:
    """A variable of type ``cudaStream_t``, by its source name."""

    name: str


@dataclass(frozen=True, slots=True)
class Event:
    """A variable of type ``cudaEvent_t``, by its source name."""

    name: str


@dataclass(frozen=True, slots=True)
class Extent:
    """A ``dim3``, or one of threadIdx, blockIdx, blockDim, gridDim as a whole (``name`` set)."""

    dim: ir.Dim
    name: str = ""


@dataclass(frozen=True, slots=True)
class Enumerator:
    """A memory order or a thread scope."""

    value: ir.Order | ir.Scope


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the file, not yet called."""

    definition: tree.Function


@dataclass(frozen=True, slots=True)
class Nothing:
    """The result of a call that has none."""


Operand: TypeAlias = (
    Computed
    | Register
    | Variable
    | Array
    | Atomic
    | Pointer
    | StreamHandle
    | Stream
    | Event
    | Extent
    | Enumerator
    | Function
    | Nothing
)


def describe(operand: Operand) -> str:
    """What to call an operand in a message."""
    match operand:
        case Computed():
            return "a value"
        case Register() | Variable():
            return "a variable"
        case Array():
            return "an array"
        case Atomic():
            return "an atomic"
        case Pointer():
            return "a pointer"
        case StreamHandle() | Stream():
            return "a stream"
        case Event():
            return "an event"
        case Extent():
            return "a dim3"
        case Enumerator():
            return "an enumerator"
        case Function():
            return "a function"
        case Nothing():
            return "nothing (void)"
