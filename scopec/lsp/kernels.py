"""The places of kernels in a text, without a compiler."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.diagnostics import InputError
from scopec.frontends.scoped.syntax.scan import scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Source

_KERNEL = re.compile(r"\b__global__\b[^;{}]*?\b(?!__launch_bounds__|__align__|__cluster_dims__)(\w+)\s*\([^;]*?\{")


def kernels(source: Source) -> Iterator[tuple[str, int]]:
    """The name of each kernel that a text defines, with its line from 0; none where a comment has no end."""
    try:
        code = scan(source).code
    except InputError:
        return
    for found in _KERNEL.finditer(code):
        yield found[1], source.position(found.start())[0] - 1
