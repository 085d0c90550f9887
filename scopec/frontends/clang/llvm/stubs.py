"""Launch stubs: the functions of the host that clang calls where a kernel is launched.

A stub's name is the kernel's with :data:`_STUB` in it; in a mangled name the length before it counts that too.
"""

from __future__ import annotations

import re

_STUB = "__device_stub__"


def is_stub(name: str) -> bool:
    """Whether a function is one."""
    return _STUB in name


def kernel_of(stub: str) -> str:
    """The name of the kernel that a stub launches, that of another function as it is."""
    return re.sub(rf"(\d*){_STUB}", lambda m: str(int(m[1]) - len(_STUB)) if m[1] else "", stub)
