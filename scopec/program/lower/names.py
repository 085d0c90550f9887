"""Names of the libraries: namespaces, memory orders, scopes, types."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.diagnostics import Code, error, suggestion
from scopec.program import types
from scopec.program.ir import Order, Scope
from scopec.program.types import IntType
from scopec.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.syntax import tree

_NAMESPACES = ("cuda::std::", "cuda::", "std::")

ORDERS = {
    "relaxed": Order.RELAXED,
    "consume": Order.ACQUIRE,
    "acquire": Order.ACQUIRE,
    "release": Order.RELEASE,
    "acq_rel": Order.ACQ_REL,
    "seq_cst": Order.SEQ_CST,
}

SCOPES = {
    "thread": Scope.THREAD,
    "block": Scope.BLOCK,
    "device": Scope.DEVICE,
    "system": Scope.SYSTEM,
    "sys": Scope.SYSTEM,
}


def unqualified(name: str, namespaces: tuple[str, ...] = _NAMESPACES) -> str:
    """The name without a library namespace in front."""
    for prefix in namespaces:
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def order_named(name: str) -> Order | None:
    """The order called ``memory_order_relaxed`` or ``memory_order::relaxed``, in any library namespace."""
    short = unqualified(name)
    for prefix in ("memory_order_", "memory_order::"):
        if short.startswith(prefix):
            return ORDERS.get(short.removeprefix(prefix))
    return None


def scope_named(name: str) -> Scope | None:
    """The scope called ``thread_scope_block`` (or ``thread_scope::thread_scope_block``), in namespace cuda or none."""
    short = unqualified(name, ("cuda::",)).removeprefix("thread_scope::")
    word = short.removeprefix("thread_scope_")
    return SCOPES.get(word) if short.startswith("thread_scope_") and word != "sys" else None


# ---------------------------------------------------------------- types

_WORDS: dict[tuple[str, ...], IntType] = {
    ("bool",): types.BOOL,
    ("char",): types.CHAR,
    ("char", "signed"): IntType("signed char", 8, signed=True),
    ("char", "unsigned"): IntType("unsigned char", 8, signed=False),
    ("short",): IntType("short", 16, signed=True),
    ("short", "unsigned"): IntType("unsigned short", 16, signed=False),
    ("int",): types.INT,
    ("unsigned",): types.UINT,
    ("long",): types.LONG,
    ("long", "unsigned"): types.ULONG,
    ("long", "long"): types.LONG_LONG,
    ("long", "long", "unsigned"): types.ULONG_LONG,
    ("__int128",): types.INT128,
    ("__int128", "unsigned"): types.UINT128,
}

_NAMED: dict[str, IntType] = {
    "uint": types.UINT,
    "size_t": types.ULONG,
    "ptrdiff_t": types.LONG,
    "int8_t": _WORDS["char", "signed"],
    "uint8_t": _WORDS["char", "unsigned"],
    "int16_t": _WORDS["short",],
    "uint16_t": _WORDS["short", "unsigned"],
    "int32_t": types.INT,
    "uint32_t": types.UINT,
    "int64_t": types.LONG,
    "uint64_t": types.ULONG,
    "cudaError_t": types.INT,
}


@dataclass(frozen=True, slots=True)
class VoidType:
    """``void``."""


@dataclass(frozen=True, slots=True)
class AutoType:
    """``auto``: the type of the initial value."""


@dataclass(frozen=True, slots=True)
class AtomicType:
    """``atomic<T, S>``, or ``atomic_ref<T, S>`` with ``ref``."""

    value: IntType
    scope: Scope
    ref: bool


@dataclass(frozen=True, slots=True)
class EnumType:
    """``thread_scope`` or ``memory_order``."""

    name: str


@dataclass(frozen=True, slots=True)
class StreamType:
    """``cudaStream_t``."""


@dataclass(frozen=True, slots=True)
class EventType:
    """``cudaEvent_t``."""


@dataclass(frozen=True, slots=True)
class DimType:
    """``dim3``."""


@dataclass(frozen=True, slots=True)
class PointerType:
    """A pointer to an integer or atomic object."""

    target: IntType | AtomicType


@dataclass(frozen=True, slots=True)
class ReferenceType:
    """A reference to an integer or atomic object."""

    target: IntType | AtomicType


Type: TypeAlias = (
    IntType
    | VoidType
    | AutoType
    | AtomicType
    | EnumType
    | StreamType
    | EventType
    | DimType
    | PointerType
    | ReferenceType
)

_OTHER: dict[str, Type] = {"cudaStream_t": StreamType(), "cudaEvent_t": EventType(), "dim3": DimType()}


def resolve(type_: tree.TypeName, scope_of: Callable[[tree.Expr], Scope]) -> Type:
    """The meaning of a written type; ``scope_of`` evaluates a template argument that is a thread scope.

    Raises InputError for types outside the modelled subset.
    """
    if type_.align is not None:
        message = "an alignment specifier is outside the modelled subset"
        raise error(Code.OUTSIDE_SUBSET, message, type_.span, "leave it out: objects are naturally aligned")
    base = _base(type_, scope_of)
    if type_.pointers + type_.reference == 0:
        return base
    if type_.pointers + type_.reference > 1 or not isinstance(base, (IntType, AtomicType)):
        raise error(
            Code.OUTSIDE_SUBSET,
            f"a {'reference' if type_.reference else 'pointer'} to this type is outside the modelled subset",
            type_.span,
            "use pointers and references to integers and atomics",
        )
    return ReferenceType(base) if type_.reference else PointerType(base)


def _base(type_: tree.TypeName, scope_of: Callable[[tree.Expr], Scope]) -> Type:
    short = unqualified(type_.name)
    match short:
        case "void":
            return VoidType()
        case "auto":
            return AutoType()
        case "float" | "double":
            raise error(Code.OUTSIDE_SUBSET, "floating-point numbers are outside the modelled subset", type_.span)
        case "memory_order" | "thread_scope":
            return EnumType(short)
        case "atomic" | "atomic_ref":
            return _atomic(type_, short == "atomic_ref", scope_of)
        case _ if short in _NAMED:
            return _NAMED[short]
        case _ if short in _OTHER:
            return _OTHER[short]
        case _:
            return _words(type_)


def _words(type_: tree.TypeName) -> IntType:
    words = sorted(type_.name.split())
    if words == ["signed"]:
        words = ["int"]
    if words != ["int"] and "int" in words:
        words.remove("int")
    if "signed" in words and words != ["char", "signed"]:
        words.remove("signed")
    found = _WORDS.get(tuple(words))
    if found is None:
        known = "::" in type_.name
        code = Code.OUTSIDE_SUBSET if known else Code.UNKNOWN_TYPE
        message = f"`{type_.name}` is " + ("outside the modelled subset" if known else "not a type that scopec knows")
        raise error(code, message, type_.span)
    return found


def _atomic(type_: tree.TypeName, ref: bool, scope_of: Callable[[tree.Expr], Scope]) -> AtomicType:
    from scopec.syntax import tree

    scoped = type_.name.removeprefix("cuda::") in ("atomic", "atomic_ref")
    allowed = (1, 2) if scoped else (1,)
    if len(type_.arguments) not in allowed:
        help_ = f"write {type_.name}<int{', cuda::thread_scope_device' if scoped else ''}>"
        raise error(Code.BAD_ARGUMENTS, f"`{type_.name}` does not take these template arguments", type_.span, help_)
    value = type_.arguments[0]
    inner = resolve(value, scope_of) if isinstance(value, tree.TypeName) else None
    if not isinstance(inner, IntType):
        raise error(
            Code.OUTSIDE_SUBSET,
            "atomics of this type are outside the modelled subset",
            value.span,
            "use an integer type or bool",
        )
    scope = Scope.SYSTEM
    if len(type_.arguments) == 2:
        argument = type_.arguments[1]
        if isinstance(argument, tree.TypeName):
            raise error(Code.TYPE_ERROR, "a thread scope is wanted here, not a type", argument.span)
        scope = scope_of(argument)
    return AtomicType(inner, scope, ref)


def scope_argument(expr: tree.Expr, constants: dict[str, object]) -> Scope:
    """A template argument that must be a thread scope: a library name, or a constexpr of the file."""
    from scopec.syntax import tree

    if isinstance(expr, tree.Name):
        known = constants.get(expr.name)
        if isinstance(known, Scope):
            return known
        scope = scope_named(expr.name)
        if scope is not None:
            return scope
        names = [f"cuda::thread_scope_{s}" for s in SCOPES if s != "sys"]
        names += [name for name, value in constants.items() if isinstance(value, Scope)]
        help_ = suggestion(expr.name, names) or "the scopes are " + ", ".join(n for n in names if "::" in n)
        raise error(Code.UNKNOWN_NAME, f"`{expr.name}` is not a thread scope", expr.span, help_)
    raise error(Code.TYPE_ERROR, "a thread scope is wanted here", expr.span)
