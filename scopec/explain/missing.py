"""The fewest changes with which a model orders two events of an execution.

Each is tried: the model is evaluated on the same execution with other operations.  Nothing is said that does not help.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from scopec.base.diagnostics import ValuesError
from scopec.base.records import dataclass
from scopec.explain.changes import (
    AddFence,
    Change,
    MakeAtomic,
    ReadFrom,
    Strengthen,
    Widen,
    changed,
)
from scopec.explain.order import Ordered, order_of, ordered
from scopec.memory.cat.evaluate import reflexive
from scopec.memory.events.events import Kind
from scopec.program.ir import Order, Proxy, Scope

if TYPE_CHECKING:
    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution

#: The seconds for which the thread may look, and the events of an execution that is not too large for it.
_SECONDS, _MOST_EVENTS = 2.0, 150
_SCOPES = (Scope.BLOCK, Scope.CLUSTER, Scope.DEVICE, Scope.SYSTEM)
_HALVES = {Kind.WRITE: Order.RELEASE, Kind.READ: Order.ACQUIRE, Kind.FENCE: Order.ACQ_REL}


@dataclass(frozen=True)
class Missing:
    """Changes with which two events are ordered, none of which can be left out; and the execution with them.

    ``way`` is how they are ordered then.  ``forbidden`` are the axioms that do not allow this execution any more.
    """

    changes: tuple[Change, ...]
    execution: Execution
    way: Ordered
    forbidden: tuple[str, ...]


def missing(execution: Execution, one: Event, other: Event) -> Missing | None:
    """The smallest set of changes that was found with which one event is ordered before another; None if none was."""
    if len(execution.events) > _MOST_EVENTS or order_of(execution, one, other) is None:
        return None
    until = time.thread_time() + _SECONDS
    for family in _families(execution, one, other):
        if time.thread_time() > until:
            return None
        if family and _orders(execution, family, one, other):
            kept = _smallest(execution, family, one, other)
            then = changed(execution, kept)
            way = _ordered(then, one, other)
            assert way is not None
            broken = tuple(axiom.name for axiom in then.model.axioms if not then.evaluation.holds(axiom))
            return Missing(tuple(kept), then, way, broken)
    return None


def _families(execution: Execution, one: Event, other: Event) -> Iterator[list[Change]]:
    """Changes that may help together, those first that leave more as it is."""
    proxies = _proxy_fences(one, other)
    yield proxies
    for scope in _SCOPES:
        yield _wider(execution, scope)
    for scope in _SCOPES:
        yield [*_stronger(execution), *_wider(execution, scope)]
    if proxies:
        for scope in _SCOPES:
            yield [*proxies, *_stronger(execution), *_wider(execution, scope)]
    for scope in _SCOPES:
        yield [*_fences(execution, scope), *proxies, *_stronger(execution), *_wider(execution, scope)]
    for scope in _SCOPES:
        shared = _atomic(execution, scope, one, other)
        yield shared and [*shared, *proxies, *_stronger(execution), *_wider(execution, scope)]
    for read in _returning(execution, one, other):
        for scope in _SCOPES:
            yield [read, *_fences(execution, scope), *proxies, *_stronger(execution), *_wider(execution, scope)]


def _smallest(execution: Execution, family: Sequence[Change], one: Event, other: Event) -> list[Change]:
    kept = list(family)
    for change in family:
        fewer = [c for c in kept if c is not change]
        if _orders(execution, fewer, one, other):
            kept = fewer
    for n, change in enumerate(kept):
        for milder in _milder(change):
            others = [*kept[:n], milder, *kept[n + 1 :]]
            if _orders(execution, others, one, other):
                kept = others
                break
    return kept


def _milder(change: Change) -> Iterator[Change]:
    """Half of what a fence does, and an atomic access that only hands on."""
    match change:
        case Strengthen(_, Kind.FENCE, _):
            yield replace(change, order=Order.ACQUIRE)
            yield replace(change, order=Order.RELEASE)
        case MakeAtomic():
            yield replace(change, order=Order.RELAXED)
        case _:
            pass


def _orders(execution: Execution, changes: Sequence[Change], one: Event, other: Event) -> bool:
    return _ordered(changed(execution, changes), one, other) is not None


def _ordered(then: Execution, one: Event, other: Event) -> Ordered | None:
    """How two events are ordered in an execution with changes; None too if one is not executed, or order goes round."""
    try:
        events = {event.id: event for event in then.events}
        if one.id not in events or other.id not in events:
            return None
        found = ordered(then, events[one.id], events[other.id])
        definition = order_of(then, one, other)
        round_ = definition is not None and reflexive(then.evaluation.relations[definition.name])
    except (ValuesError, KeyError):
        return None
    return None if round_ else found


# ---------------------------------------------------------------- changes that may help


def _wider(execution: Execution, scope: Scope) -> list[Change]:
    if "incl" not in execution.model.mentioned and scope.name not in execution.model.mentioned:
        return []
    events = (e for e in execution.events if e.order is not None and e.scope is not None and e.scope < scope)
    return list(dict.fromkeys(Widen(e.span, scope) for e in events))


def _stronger(execution: Execution) -> list[Change]:
    found = []
    for event in execution.events:
        half = _HALVES.get(event.kind)
        if event.order is None or half is None or event.order is half or event.order is Order.SEQ_CST:
            continue
        if event.kind is Kind.READ and event.reduction:
            continue
        found.append(Strengthen(event.span, event.kind, half))
    return list(dict.fromkeys(found))


def _fences(execution: Execution, scope: Scope) -> list[Change]:
    """Fences around what no order of its own makes release or acquire: volatile accesses, which only PTX orders by."""
    if "WEAK" not in execution.model.mentioned:
        return []
    volatile = (e for e in execution.events if e.volatile and e.order is None and e.is_access)
    return [AddFence(e.id, e.kind is Kind.READ, scope) for e in volatile]


def _proxy_fences(one: Event, other: Event) -> list[Change]:
    """Fences between proxies and virtual addresses, behind the first access and ahead of the last one."""
    proxies = dict.fromkeys(e.proxy for e in (one, other) if e.proxy not in (None, Proxy.GENERIC, Proxy.EITHER))
    ahead = other.agent or other.id
    found: list[Change] = []
    for proxy in proxies:
        found += [AddFence(one.id, True, proxy=proxy)] if not one.agent else []
        found.append(AddFence(ahead, False, proxy=proxy))
    if one.location == other.location and one.alias != other.alias:
        found += [AddFence(one.id, True, alias=True), AddFence(ahead, False, alias=True)]
    return found


def _atomic(execution: Execution, scope: Scope, one: Event, other: Event) -> list[Change]:
    """Atomic accesses to what one thread writes plainly and another reads from it; not in place of the two."""
    volatile = "WEAK" in execution.model.mentioned  # elsewhere volatile accesses are plain ones
    plain = [
        event
        for pair in execution.relation("rf")
        for event in pair
        if pair[0].thread != pair[1].thread and pair[0].kind is Kind.WRITE
        if event.order is None
        and not (volatile and event.volatile)
        and not event.agent
        and event.span not in (one.span, other.span)
    ]
    return list(dict.fromkeys(MakeAtomic(e.span, e.kind, _HALVES[e.kind], scope) for e in plain))


def _returning(execution: Execution, one: Event, other: Event) -> Iterator[ReadFrom]:
    """Reads that might take another value: what a thread that can have come behind the first event wrote."""
    position = {e.id: n for n, e in enumerate(execution.events)}
    po = execution.evaluation.relations["po"]

    def at_or_before(a: Event, b: Event) -> bool:
        return a is b or bool(po[position[a.id]] >> position[b.id] & 1)

    sources = {read: write for write, read in execution.choice.rf}
    writes = [e for e in execution.events if e.kind is Kind.WRITE and not e.agent]
    reads = [e for e in execution.events if e.kind is Kind.READ and not e.agent]
    pairs = [
        (w, r)
        for w, r in ((w, r) for r in reads for w in writes if w.location == r.location)
        if sources.get(r.id) != w.id and w.thread != r.thread and w is not other and r is not one
    ]
    near = [(w, r) for w, r in pairs if at_or_before(one, w) and at_or_before(r, other)]
    half = [(w, r) for w, r in pairs if (at_or_before(one, w) or at_or_before(r, other)) and (w, r) not in near]
    return (ReadFrom(r.id, w.id) for w, r in chain(near, half))
