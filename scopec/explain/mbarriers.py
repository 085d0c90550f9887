"""Races about mbarriers and the asynchronous proxy: arrivals that come too early, and proxy fences that lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.explain.synchronisation import access_name, place
from scopec.memory.events.events import shown_location
from scopec.program import ir

if TYPE_CHECKING:
    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution


def overrun(execution: Execution, pair: tuple[Event, Event]) -> str | None:
    """The reason why an arrival comes too early, which a model says as a pair of it with itself; None of others."""
    first, second = pair
    if first is not second or first.location is None:
        return None
    name = shown_location(first.location, execution.graph.program)
    return (
        f"{first.thread} arrives at {place(first)} in a later phase of `{name}` than the first, and no wait has found "
        f"the phase before it over by then"
    )


def unfenced(execution: Execution, pair: tuple[Event, Event]) -> str | None:
    """The reason if two accesses in sequence race because they use different proxies; else None."""
    order, connected = (set(execution.derived(name) or ()) for name in ("order", "hb"))
    for first, last in (pair, pair[::-1]):
        if (first, last) not in order or (first, last) in connected or ir.Proxy.ASYNC not in (first.proxy, last.proxy):
            continue
        comes = f"{access_name(first)} comes before {_of_copy(execution, last)}"
        if first.writes and last.proxy is ir.Proxy.ASYNC and not first.agent:
            return f"{comes}, but {first.thread} makes no fence.proxy.async behind it before it hands it over"
        return f"{comes}, but there is no fence.proxy.async between them"
    return None


def _of_copy(execution: Execution, event: Event) -> str:
    """The words for a copy, by the place of its issue."""
    if not event.agent:
        return access_name(event)
    verb = "write" if event.writes else "read"
    return f"the {verb} of the copy that {event.thread} issues at {place(execution.graph.by_id[event.agent])}"
