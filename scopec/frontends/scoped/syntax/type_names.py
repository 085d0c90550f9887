"""Names of the libraries' types and templates: C++ cannot be parsed without knowing them."""

from __future__ import annotations

_SIZED = [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_SIZED += ["size_t", "ptrdiff_t", "uintptr_t", "intptr_t"]
_SPACES = ("", "std::", "cuda::", "cuda::std::")
#: The names that are not plain ones, with their terminals in the grammar.
_TERMINALS = {
    **dict.fromkeys(["cudaStream_t", "cudaError_t"], "TYPE_NAME"),
    **{f"{space}{name}": "TYPE_NAME" for space in _SPACES for name in _SIZED},
    **{f"{space}{name}": "TYPE_NAME" for space in _SPACES[1:] for name in ("memory_order", "thread_scope")},
    **{f"{space}{name}": "TEMPLATE_NAME" for space in _SPACES[1:] for name in ("atomic", "atomic_ref")},
}


def terminal(name: str) -> str:
    """The terminal of a name."""
    return "FUNCTION_TEMPLATE" if name.endswith("::tiled_partition") else _TERMINALS.get(name, "NAME")
