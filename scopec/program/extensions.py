"""What a program has that not every memory model speaks of: asynchronous copies; other proxies, and virtual addresses.

PTX ISA, "Asynchronous Operations", "Proxies" and "Aliases".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.base.source import Span
    from scopec.program.program import Program


@dataclass(frozen=True, slots=True)
class Extension:
    """What some operations are: in words, where a program has one, and the relations by which a model tells them.

    ``models`` are those of scopec's that do.
    """

    words: str
    has: Callable[[ir.Operation], bool]
    relations: frozenset[str]
    models: str

    def first(self, program: Program) -> Span | None:
        """The place of the first operation, None if there is none."""
        nodes = (node for thread in program.threads for node in thread.body.nodes.values())
        return next((n.span for n in nodes if isinstance(n, ir.Do) and self.has(n.operation)), None)


def _is_of_a_copy(operation: ir.Operation) -> bool:
    return isinstance(operation, ir.Agent | ir.AwaitCopies)


def _has_proxy(operation: ir.Operation) -> bool:
    mode = getattr(operation, "mode", ir.PLAIN)
    return isinstance(operation, ir.ProxyFence) or mode.proxy is not ir.Proxy.GENERIC or bool(mode.alias)


#: By the name of the fact that a .cat file asks for (:data:`scopec.base.options.PROGRAM_FACTS`).
EXTENSIONS = {
    "agents": Extension("asynchronous copies", _is_of_a_copy, frozenset({"start"}), "cuda or ptx"),
    "proxies": Extension("proxies, or aliases of a location", _has_proxy, frozenset({"px", "vloc"}), "ptx"),
}
