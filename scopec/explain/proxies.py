"""The proxy fence that lacks between two accesses which causality orders.

PTX ISA, "Proxy-preserved base causality order": behind the first access a fence of its proxy by a thread of its block,
the same ahead of the second, and an alias fence between two virtual addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.explain.synchronisation import access_name
from scopec.memory.events.events import Kind
from scopec.program.ir import Proxy

if TYPE_CHECKING:
    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution


def unconnected(execution: Execution, pair: tuple[Event, Event]) -> str | None:
    """The reason if base causality orders two accesses and not their effects; else None."""
    base = set(execution.derived("base") or ())
    for first, last in (pair, pair[::-1]):
        if (first, last) in base and (first.proxy, first.alias) != (last.proxy, last.alias):
            left = {f for a, f in execution.derived("leaves") or () if a is first and (f, last) in base}
            entered = {f for f, b in execution.derived("enters") or () if b is last and (first, f) in base}
            lacking = []
            if first.proxy is not Proxy.GENERIC and not left:
                lacking.append(f"no {_fence(first)} of its block comes behind it")
            if last.proxy is not Proxy.GENERIC and not entered:
                lacking.append(f"no {_fence(last)} of its block comes ahead of {access_name(last)}")
            between = {f for a, f in base if a is first and (f, last) in base}
            if first.alias != last.alias and not any(f.kind is Kind.PROXY_FENCE and f.proxy is None for f in between):
                lacking.append("no fence.proxy.alias comes between")
            order = f"{access_name(first)} comes before {access_name(last)}"
            return f"{order}, but {' and '.join(lacking) or 'the proxy fences between them come in the wrong order'}"
    return None


def _fence(event: Event) -> str:
    assert event.proxy is not None
    return f"fence.proxy.{event.proxy.value}"
