"""The order that an execution lacks and every interleaving of its threads' steps has, in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.memory.events.events import Kind, shown_location
from scopec.memory.events.inclusion import left_out
from scopec.program.ir import Order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution


def missing_order(execution: Execution) -> str | None:
    """Reads that return a value although others have stored another one, and what nothing orders; None without any."""
    around = _cycle(execution)
    stale = [_stale(execution, a, b) for a, name, b in around if name == "fr"]
    if not stale:
        return None
    steps = unordered_steps(execution)
    open_ = [(a, b) for a, b in steps if not _ordered(execution, a, b)]
    if open_:
        lacking = [f"{_access(execution, a)} before {_access(execution, b)}" for a, b in open_]
        return f"{'; '.join(stale)}: nothing orders {', nor '.join(lacking)}"
    narrow = dict.fromkeys(_narrow(execution, steps))
    return f"{'; '.join(stale)}: {'; '.join(narrow)}" if narrow else "; ".join(stale)


def unordered_steps(execution: Execution) -> list[tuple[Event, Event]]:
    """The accesses of one thread after the other that others see in another order."""
    return [(a, b) for a, name, b in _cycle(execution) if name == "po"]


def _cycle(execution: Execution) -> list[tuple[Event, str, Event]]:
    """A shortest cycle of program order and communication."""
    after: dict[Event, dict[Event, str]] = {}
    for name in ("po", "co", "rf"):
        for a, b in execution.relation(name):
            after.setdefault(a, {}).setdefault(b, name)
    sources = {read: write for write, read in execution.choice.rf}
    later: dict[str, list[Event]] = {}
    for a, b in execution.relation("co"):
        later.setdefault(a.id, []).append(b)
    for read in execution.events:
        for write in later.get(sources.get(read.id, ""), ()):
            if read.rmw != write.id:
                after.setdefault(read, {}).setdefault(write, "fr")
    best: list[tuple[Event, str, Event]] = []
    for start in after:
        came: dict[Event, tuple[Event, str]] = {}
        work = [start]
        for event in work:
            for following, name in after.get(event, {}).items():
                if following not in came:
                    came[following] = (event, name)
                    work.append(following)
        if start in came:
            way = [(*came[start], start)]
            while way[0][0] is not start:
                way.insert(0, (*came[way[0][0]], way[0][0]))
            if not best or len(way) < len(best):
                best = way
    return best


def _stale(execution: Execution, read: Event, write: Event) -> str:
    """``t1 reads x = 0 at line 9 though t2 stores 1 at line 4``."""
    assert read.location is not None
    name = shown_location(read.location, execution.graph.program)
    found = execution.values.get(read.id)
    stored = None if write.value is None else execution.value(write.value)
    return (
        f"{read.thread} reads {name} = {found} at line {read.span.line} though {write.thread} stores {stored} at line "
        f"{write.span.line}"
    )


def _access(execution: Execution, event: Event) -> str:
    """``the store of x at line 4``."""
    if event.location is None:
        return f"what is at line {event.span.line}"
    verb = "read" if event.kind is Kind.READ else "store"
    return f"the {verb} of {shown_location(event.location, execution.graph.program)} at line {event.span.line}"


def _between(execution: Execution, a: Event, b: Event) -> Iterator[Event]:
    """The fences between two events of a thread."""
    order = {e.id: n for n, e in enumerate(execution.events)}
    for event in execution.events:
        if event.kind is Kind.FENCE and event.thread == a.thread and order[a.id] < order[event.id] < order[b.id]:
            yield event


def _ordered(execution: Execution, a: Event, b: Event) -> bool:
    """Whether something is there to order two accesses of a thread for others, whatever its scope."""
    if a.location == b.location:
        return True
    orders = [fence.order for fence in _between(execution, a, b)]
    if Order.SEQ_CST in orders or (a.order is Order.SEQ_CST and b.order is Order.SEQ_CST):
        return True
    if a.kind is Kind.READ and any(o is not None and o.acquires for o in (a.order, *orders)):
        return True
    return b.kind is Kind.WRITE and any(o is not None and o.releases for o in (b.order, *orders))


def _narrow(execution: Execution, steps: list[tuple[Event, Event]]) -> Iterator[str]:
    """Accesses and fences whose scope leaves out another thread of the cycle, a sentence each."""
    for a, b in steps:
        for other, _ in steps:
            if other.thread == a.thread:
                continue
            for event in (a, *_between(execution, a, b), b):
                why = left_out(execution, event, other)
                if why is not None:
                    what = "the fence" if event.kind is Kind.FENCE else _access(execution, event)
                    where = f" at line {event.span.line}" if event.kind is Kind.FENCE else ""
                    yield f"{what}{where} is {why}"
