"""Changes of the operations of an execution, and the execution as it is with them: everything else stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, assert_never

from scopec.base.records import dataclass
from scopec.memory.events.events import Kind
from scopec.memory.execution import Execution
from scopec.program.ir import Order, Proxy, Scope

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.memory.events.events import Event


@dataclass(frozen=True, slots=True)
class Widen:
    """A wider scope of what is atomic at a place, or of a fence there."""

    at: Span
    scope: Scope


@dataclass(frozen=True, slots=True)
class Strengthen:
    """An order that releases, or acquires, of the writes, reads or fences at a place."""

    at: Span
    kind: Kind
    order: Order


@dataclass(frozen=True, slots=True)
class MakeAtomic:
    """Atomic accesses in place of the plain ones at a place, with an order and a scope."""

    at: Span
    kind: Kind
    order: Order
    scope: Scope


@dataclass(frozen=True, slots=True)
class AddFence:
    """A fence next to an event, by its thread; a proxy fence where there is a ``proxy``, or an ``alias``."""

    event: str
    behind: bool
    scope: Scope = Scope.SYSTEM
    proxy: Proxy | None = None
    alias: bool = False


@dataclass(frozen=True, slots=True)
class ReadFrom:
    """Another write for a read to return."""

    read: str
    write: str


Change: TypeAlias = Widen | Strengthen | MakeAtomic | AddFence | ReadFrom


def changed(execution: Execution, changes: Iterable[Change]) -> Execution:
    """The execution with changes of its operations: the same choices, but for the reads that return something else."""
    events: list[Event] = list(execution.graph.events)
    sources = {read: write for write, read in execution.choice.rf}
    for change in changes:
        match change:
            case ReadFrom(read, write):
                sources[read] = write
            case AddFence():
                events = _with_fence(events, change)
            case _:
                events = [_other(event, change) for event in events]
    graph = replace(execution.graph, events=tuple(events))
    choice = replace(execution.choice, rf=frozenset((write, read) for read, write in sources.items()))
    return Execution(replace(execution.base, graph=graph), execution.model, choice, execution.strict)


def _other(event: Event, change: Widen | Strengthen | MakeAtomic) -> Event:
    """An event with a change, if that is about it."""
    if event.span != change.at or event.kind is Kind.INIT:
        return event
    match change:
        case Widen(_, scope):
            return event if event.order is None or event.scope is None else replace(event, scope=scope)
        case Strengthen(_, kind, order):
            if event.kind is not kind or event.order is None:
                return event
            return replace(
                event, order=order, failure=event.failure and (order if kind is Kind.READ else event.failure)
            )
        case MakeAtomic(_, kind, order, scope):
            return event if event.kind is not kind or event.order else replace(event, order=order, scope=scope)
        case _:
            assert_never(change)


def _with_fence(events: Sequence[Event], change: AddFence) -> list[Event]:
    at = next(n for n, event in enumerate(events) if event.id == change.event)
    one = events[at]
    fence = replace(
        one, id=f"{one.id}_{'behind' if change.behind else 'ahead'}_{len(events)}", text="fence", location=None,
        value=None, rmw=None, success=None, failure=None, volatile=False, load_or_store=False, reduction=False,
        last=False, vector=None, alias="", agent="",
        kind=Kind.FENCE, order=Order.ACQ_REL, scope=change.scope, proxy=Proxy.GENERIC,
    )  # fmt: skip
    if change.proxy is not None or change.alias:
        text = f"fence.proxy.{'alias' if change.proxy is None else change.proxy.value}"
        fence = replace(fence, text=text, kind=Kind.PROXY_FENCE, order=None, scope=None, proxy=change.proxy)
    place = at + 1 if change.behind else at
    return [*events[:place], fence, *events[place:]]
