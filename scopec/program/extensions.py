"""Operations that not every memory model covers: asynchronous copies, other proxies, virtual addresses.

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
    """A kind of operations: in words, a test for programs that have it, and the given names by which models know it.

    ``models`` are those of scopec's that do.
    """

    words: str
    has: Callable[[ir.Operation], bool]
    names: frozenset[str]
    models: str

    def first(self, program: Program) -> Span | None:
        """The place of the first operation, None if there is none."""
        nodes = (node for thread in program.threads for node in thread.body.nodes.values())
        return next((n.span for n in nodes if isinstance(n, ir.Do) and self.has(n.operation)), None)


def _is_of_a_copy(operation: ir.Operation) -> bool:
    return isinstance(operation, ir.Agent | ir.AwaitCopies)


def _is_of_an_mbarrier(operation: ir.Operation) -> bool:
    return isinstance(operation, ir.BarrierExpect) or bool(getattr(operation, "fault", ""))


def _is_asynchronous(operation: ir.Operation) -> bool:
    """Fences of that proxy do nothing by themselves."""
    return isinstance(operation, ir.Agent) and operation.proxy is ir.Proxy.ASYNC


def _is_of_tensor_memory(operation: ir.Operation) -> bool:
    return isinstance(operation, ir.Agent) and operation.groups in ir.TENSOR_GROUPS


def _has_proxy(operation: ir.Operation) -> bool:
    mode = getattr(operation, "mode", ir.PLAIN)
    fence = isinstance(operation, ir.ProxyFence) and operation.proxy is not ir.Proxy.ASYNC
    return fence or mode.proxy is not ir.Proxy.GENERIC or bool(mode.alias)


#: By the name of the fact that a .cat file asks for (:data:`scopec.base.options.PROGRAM_FACTS`).
EXTENSIONS = {
    "agents": Extension("asynchronous copies", _is_of_a_copy, frozenset({"start"}), "cuda or ptx"),
    "mbarriers": Extension("mbarriers", _is_of_an_mbarrier, frozenset({"phase"}), "cuda or ptx"),
    "async_proxy": Extension("the asynchronous proxy", _is_asynchronous, frozenset({"ASY"}), "cuda or ptx"),
    "tensor_memory": Extension("tensor memory", _is_of_tensor_memory, frozenset({"TM"}), "cuda or ptx"),
    "proxies": Extension("proxies, or aliases of a location", _has_proxy, frozenset({"px", "vloc"}), "ptx"),
}
