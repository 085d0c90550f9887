"""Accesses through other proxies than the generic one, or by other virtual addresses.

PTX ISA, "Proxies" and "Aliases".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.program import ir

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.program.program import Program


def first_proxy(program: Program) -> Span | None:
    """The place of a proxy fence, or of an access by another proxy or virtual address; None without."""
    for thread in program.threads:
        for node in thread.body.nodes.values():
            if isinstance(node, ir.Do) and _has_proxy(node.operation):
                return node.span
    return None


def _has_proxy(operation: ir.Operation) -> bool:
    if isinstance(operation, ir.ProxyFence):
        return True
    mode = getattr(operation, "mode", ir.PLAIN)
    return mode.proxy is not ir.Proxy.GENERIC or bool(mode.alias)
