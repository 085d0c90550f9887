"""Names of objects and registers."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING

from scopec.frontends.clang.llvm.debug import Debug, Leaf
from scopec.program.types import CHAR

if TYPE_CHECKING:
    from collections.abc import Container

#: Objects that compilers make beside variables, by the prefix of the mangled name (Itanium C++ ABI, 5.1.4.5).
_MADE = {"_ZGV": "guard", "_ZGR": "temporary"}
#: The numbers of a guard.
GUARD = (Leaf("", 0, CHAR), Leaf(".busy", 1, CHAR))


def is_guard(mangled: str) -> bool:
    """Whether a variable is the guard of another."""
    return mangled.startswith("_ZGV")


def made_for(name: str) -> str:
    """The name of an object that the compiler made, of which nothing but its mangled name is known."""
    kind = next((kind for prefix, kind in _MADE.items() if name.startswith(prefix)), None)
    return plain(name) if kind is None else f"{kind}({plain(name)})"


def plain(name: str) -> str:
    """The name of a variable of which nothing but its mangled name is known."""
    plain, rest = name.removeprefix("__const.").removesuffix(".const"), name.partition("_Z")[2]
    while found := re.search(r"\d+", rest):
        length = int(found[0])
        plain, rest = rest[found.end() :][:length], rest[found.end() + length :]
    return plain.strip(".")


def unused(shown: str, taken: Container[str]) -> str:
    """A name, numbered where it is taken."""
    names = (shown if number_ == 1 else f"{shown}#{number_}" for number_ in count(1))
    return next(name for name in names if name not in taken)


def qualified(debug: Debug, scope: str) -> str:
    """The namespaces and the function around a name, as people write them."""
    fields = debug.fields(scope)
    match fields[""]:
        case "DINamespace":
            return qualified(debug, fields.get("scope", "")) + (f"{fields['name']}::" if "name" in fields else "")
        case "DISubprogram":
            return f"{debug.function_name(scope)}."
        case "DILexicalBlock":
            return qualified(debug, fields.get("scope", ""))
        case "DICompositeType":
            return f"{fields.get('name', '')}::"
        case _:
            return ""


def mentioned(text: str, name: str) -> bool:
    """Whether a directive of a text mentions a name."""
    return re.search(rf"//@.*\b{re.escape(name)}\b", text) is not None
