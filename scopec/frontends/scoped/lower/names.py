"""Names of the libraries: namespaces, memory orders, scopes, integer types."""

from __future__ import annotations

from scopec.base.diagnostics import suggestion
from scopec.program import types
from scopec.program.ir import Order, Scope
from scopec.program.types import IntType

INDEX_NAMES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
#: Names of the libraries that are numbers.
CONSTANTS = {
    "cudaSuccess": 0, "cudaErrorNotReady": 600, "cudaStreamDefault": 0, "cudaStreamNonBlocking": 1,
    "cudaHostRegisterDefault": 0, "cudaHostRegisterPortable": 1, "cudaHostRegisterMapped": 2, "warpSize": 32,
}  # fmt: skip

_NAMESPACES = ("cuda::std::", "cuda::", "std::", "cooperative_groups::")

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


def meant_name(name: str) -> str | None:
    """What an unknown name of an order or scope may mean, or what there is; None for other names."""
    for prefix, known in (("memory_order_", ORDERS), ("thread_scope_", SCOPES)):
        space, found, word = name.partition(prefix)
        if found:
            meant = suggestion(word, known)
            return meant.replace("`", f"`{space}{prefix}", 1) if meant else f"{prefix}… is one of {', '.join(known)}"
    return None


# ---------------------------------------------------------------- integer types

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
}

#: Integer types that have a name of their own.
INTEGERS: dict[str, IntType] = {
    "size_t": types.ULONG,
    "ptrdiff_t": types.LONG,
    "uintptr_t": types.ULONG,
    "intptr_t": types.LONG,
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


def integer_type(name: str) -> IntType | None:
    """The integer type that its words name in any order (``unsigned long int``), None if there is none."""
    words = sorted(name.split())
    if words == ["signed"]:
        words = ["int"]
    if words != ["int"] and "int" in words:
        words.remove("int")
    if "signed" in words and words != ["char", "signed"]:
        words.remove("signed")
    return _WORDS.get(tuple(words))
