"""Which names are types: C++ cannot be parsed without knowing them.

A name that a file gives a type is one everywhere in the file, so that a variable of that name does not parse: scopes
are for later.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.frontends.scoped.syntax.scan import blank, without_literals

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIZED = [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_SIZED += ["size_t", "ptrdiff_t", "uintptr_t", "intptr_t", "nullptr_t"]
_OF_CUDA = [
    "cudaStream_t", "cudaEvent_t", "cudaError_t", "cudaError", "cudaDeviceProp", "cudaLaunchConfig_t",
    "cudaLaunchAttribute", "dim3", "uint", "ushort", "uchar", "ulong", "FILE",
]  # fmt: skip
_OF_THE_LIBRARY = [
    "memory_order", "thread_scope", "thread", "jthread", "stop_source", "stop_token", "atomic", "atomic_ref", "barrier",
    "latch", "counting_semaphore", "binary_semaphore", "vector", "array",
]  # fmt: skip
_GROUPS = ["thread_block", "grid_group", "cluster_group", "coalesced_group", "thread_block_tile"]
_SPACES = ("std", "cuda", "cuda::std")
#: Types and function templates of the libraries, with their terminals in the grammar; ``::name`` stands for any
#: qualified name that ends so.
_LIBRARY: Mapping[str, str] = {
    **dict.fromkeys([*_SIZED, *_OF_CUDA, "std::atomic_flag", "cuda::std::atomic_flag"], "TYPE_NAME"),
    **{f"{space}::{name}": "TYPE_NAME" for space in _SPACES for name in [*_SIZED, *_OF_THE_LIBRARY]},
    **{f"{space}::{name}": "FUNCTION_TEMPLATE" for space in _SPACES for name in ("min", "max", "exchange")},
    **{f"cooperative_groups::{name}": "TYPE_NAME" for name in _GROUPS},
    "cooperative_groups::tiled_partition": "FUNCTION_TEMPLATE",
    **dict.fromkeys(["::arrival_token", "::value_type"], "TYPE_NAME"),
}

_ALIGNMENT = r"(?:alignas|__align__)\s*\((?:[^()]|\([^()]*\))*\)\s*"
_DECLARATION = re.compile(
    rf"""
      \b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:{_ALIGNMENT})?(?P<type>\w+)(?=\s*(?:[{{;]|:(?!:)|final\b))
    | \btypedef\b(?=(?:[^;{{}}]|\{{[^{{}}]*\}})*?\b(?P<typedef>\w+)\s*(?:\[[^][;{{}}]*\]\s*)*;)
    | \busing\s+(?P<alias>\w+)\s*=
    | \busing\s+(?!namespace\b)(?P<name>[\w:]+)\s*;
    | \busing\s+namespace\s+(?P<space>[\w:]+)
    | \bnamespace\s+(?P<short>\w+)\s*=\s*(?P<long>[\w:]+)
    """,
    re.VERBOSE,
)
#: ``struct S;``, and ``struct`` where it only repeats what S is.
_REPEATED = re.compile(r"\b(?:struct|enum)\s+(?!class\b|struct\b)(?:\w+\s*(?=;)|(?=(?:::)?\w+(?:::\w+)*\b\s*[^\s{:(]))")


def without_repetition(code: str) -> str:
    """Program text with ``struct`` and ``enum`` blank where they neither define a type nor are needed to know it."""
    return _REPEATED.sub(lambda repeated: blank(repeated.group()), code)


@dataclass(frozen=True)
class Names:
    """The names in a text that are not plain ones, with their terminals, and where the text declares some of them."""

    terminals: Mapping[str, str]
    declared: frozenset[int] = frozenset()

    def terminal(self, name: str, start: int, *, opens: bool) -> str:
        """The terminal of a name at an offset; ``opens``: a ``<`` follows."""
        if start in self.declared:
            return "NAME"
        name = name.removeprefix("::")
        terminal = self.terminals.get(name) or self.terminals.get("".join(name.rpartition("::")[1:]), "NAME")
        match terminal:
            case "TYPE_NAME" if opens:
                return "TEMPLATE_NAME"
            case "FUNCTION_TEMPLATE" if not opens:
                return "NAME"
            case _:
                return terminal


def names_of(code: str) -> Names:
    """The names that a program text may use, those of the libraries among them; its own stand for any qualified one."""
    terminals, declared = dict(_LIBRARY), set[int]()
    for match in _DECLARATION.finditer(without_literals(code)):
        kind = match.lastgroup or ""
        name = match[kind].removeprefix("::")
        match kind:
            case "space" | "long":
                prefix = f"{match['short']}::" if kind == "long" else ""
                inside = [known for known in terminals if known.startswith(f"{name}::")]
                terminals |= {prefix + known.removeprefix(f"{name}::"): terminals[known] for known in inside}
            case "name":
                if name in terminals:
                    terminals[name.rpartition("::")[2]] = terminals[name]
            case _:
                terminals[name] = terminals[f"::{name}"] = "TYPE_NAME"
                declared.add(match.start(kind))
    return Names(terminals, frozenset(declared))
