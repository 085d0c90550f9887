"""Names of the libraries: namespaces, memory orders, scopes, constants."""

from __future__ import annotations

from scopec.base.diagnostics import suggestion
from scopec.frontends.c.names import ORDERS
from scopec.program.ir import Order, Scope
from scopec.program.warp import WARP

INDEX_NAMES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
#: Names of the libraries that are numbers.
CONSTANTS = {
    "cudaSuccess": 0, "cudaErrorNotReady": 600, "cudaStreamDefault": 0, "cudaStreamNonBlocking": 1,
    "cudaHostRegisterDefault": 0, "cudaHostRegisterPortable": 1, "cudaHostRegisterMapped": 2, "warpSize": WARP,
}  # fmt: skip

_NAMESPACES = ("cuda::std::", "cuda::", "std::", "cooperative_groups::")

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
    """A suggestion for an unknown name of an order or scope, or the names that there are; None for other names."""
    for prefix, known in (("memory_order_", ORDERS), ("thread_scope_", SCOPES)):
        space, found, word = name.partition(prefix)
        if found:
            meant = suggestion(word, known)
            return meant.replace("`", f"`{space}{prefix}", 1) if meant else f"{prefix}… is one of {', '.join(known)}"
    return None
