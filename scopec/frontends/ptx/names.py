"""C++ names of the functions in a file of PTX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scopec.frontends.ptx.forms import Function, Module

_MANGLED = re.compile(r"_Z(N?)([0-9].*)", re.DOTALL)


def plain(name: str) -> str:
    """The name that a function has in C++ without namespaces and parameters, as far as a mangled name tells."""
    found = _MANGLED.fullmatch(name)
    if found is None:
        return name
    rest, last = found[2], ""
    while digits := re.match(r"\d+", rest):
        length = int(digits[0])
        last, rest = rest[digits.end() :][:length], rest[digits.end() + length :]
        if not found[1]:
            break
    return last or name


def kernels(module: Module) -> dict[str, Function]:
    """The kernels of a file by the names to launch them by: plain ones, or whole ones where several have one."""
    entries = [function for function in module.functions if function.entry]
    names = [plain(function.name) for function in entries]
    return {name if names.count(name) == 1 else entry.name: entry for name, entry in zip(names, entries, strict=True)}
