"""Why the model orders two events of an execution, or does not: what is asked by ``scopec trace --why-not``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.explain.agents import incomplete, work
from scopec.explain.changes import AddFence, Change, MakeAtomic, ReadFrom, Strengthen, Widen
from scopec.explain.mbarriers import unfenced
from scopec.explain.missing import missing
from scopec.explain.order import order_of, ordered
from scopec.explain.proxies import unconnected
from scopec.explain.synchronisation import access_name, place
from scopec.memory.events.events import Kind
from scopec.memory.events.inclusion import left_out
from scopec.program.ir import Proxy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.explain.missing import Missing
    from scopec.explain.order import Ordered
    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution


@dataclass(frozen=True)
class Answer:
    """Whether one event is ordered before another, by ``relation``, the name of which the model's file defines.

    ``way`` is how it is, ``back`` how the other one is before it; where neither is, ``lacking`` is what would order
    them (``turned``: the last one before the first, where nothing is known for the order that was asked about), and
    ``others`` are the relations that have the pair all the same, with whether they have it the other way.
    """

    execution: Execution
    first: Event
    last: Event
    relation: str | None
    way: Ordered | None
    back: Ordered | None
    lacking: Missing | None
    sentences: tuple[str, ...]
    others: tuple[tuple[str, bool], ...]
    turned: bool = False


#: Relations between two events that say what one has of the other, and order nothing else.
_DIRECT = ("rf", "co", "fr")


def why_not(execution: Execution, first: Event, last: Event) -> Answer:
    """The answer about two different events."""
    definition = order_of(execution, first, last)
    relation = None if definition is None else definition.called or definition.name
    way, back = ordered(execution, first, last), ordered(execution, last, first)
    others = []
    for name in _DIRECT:
        pairs = execution.derived(name) or ()
        others += [(name, False)] * ((first, last) in pairs) + [(name, True)] * ((last, first) in pairs)
    lacking = None if way or back else missing(execution, first, last)
    turned = lacking is None and not (way or back)
    if turned:
        lacking = missing(execution, last, first)
    said = () if way or back else tuple(_said(execution, first, last, lacking, relation))
    return Answer(
        execution, first, last, relation, way, back, lacking, said, tuple(others), turned and lacking is not None
    )


def _said(
    execution: Execution, first: Event, last: Event, lacking: Missing | None, relation: str | None
) -> Sequence[str]:
    if relation is None:
        return ["the model defines no order of events of different threads: neither `hb` nor `cause`"]
    if lacking is not None:
        return [sentence(execution, change, first, last) for change in lacking.changes]
    pair = (first, last)
    reason = unfenced(execution, pair) or unconnected(execution, pair) or incomplete(execution, pair)
    found = [reason] if reason is not None else []
    needed = f"no small change of what is there is known that would make `{relation}` order them"
    if first.agent or last.agent or Proxy.GENERIC not in (first.proxy, last.proxy):
        return [*found, needed]
    return [
        *found,
        f"{needed}: it needs a synchronisation that begins behind {_named(first)} and ends ahead of "
        f"{_named(last)}: a barrier that both threads come to, a join, or a release that an acquire sees",
    ]


def sentence(execution: Execution, change: Change, first: Event, last: Event) -> str:
    """What a change says is missing."""
    match change:
        case Widen(at, scope):
            return _narrow(
                execution, [e for e in execution.events if e.span == at and e.scope], scope.name, first, last
            )
        case Strengthen(at, kind, order):
            event = _one(execution, at, kind, first, last)
            if kind is Kind.FENCE:
                what = "a release fence" if not order.acquires else "an acquire fence" if not order.releases else "both"
                return f"{access_name(event)} is not {what if what != 'both' else 'an acquire and a release'}"
            return f"{access_name(event)} is not {'a release' if kind is Kind.WRITE else 'an acquire'}"
        case MakeAtomic(at, kind, order, scope):
            event = _one(execution, at, kind, first, last)
            how = " that acquires" if order.acquires else " that releases" if order.releases else ""
            return f"{access_name(event)} is not an atomic operation{how} (at {scope.name.lower()} scope or wider)"
        case AddFence(event_id, behind, _, proxy, alias):
            event = execution.graph.by_id[event_id]
            if alias or proxy is not None:
                name = "fence.proxy.alias" if proxy is None else f"fence.proxy.{proxy.value}"
                what = (
                    f"the issue of the {work(event)} at {place(event)}"
                    if event.kind is Kind.ISSUE
                    else access_name(event)
                )
                return f"{event.thread} makes no {name} {'behind' if behind else 'ahead of'} {what}"
            where = "behind" if behind else "ahead of"
            return f"no fence of {event.thread} comes {where} {access_name(event)}"
        case ReadFrom(read, write):
            r, w = execution.graph.by_id[read], execution.graph.by_id[write]
            return f"{access_name(r)} does not take its value from {access_name(w)} in this execution"


def _named(event: Event) -> str:
    """An access or fence in words; another event as its text has it."""
    return access_name(event) if event.is_access or event.kind is Kind.FENCE else f"`{event.text}` at {place(event)}"


def _one(execution: Execution, at: object, kind: Kind, first: Event, last: Event) -> Event:
    """The event of a place that is told of: one of the two threads, if it has one there."""
    found = [e for e in execution.events if e.span == at and e.kind is kind]
    return next((e for e in found if e.thread in (first.thread, last.thread)), found[0])


def _narrow(execution: Execution, events: Sequence[Event], wider: str, first: Event, last: Event) -> str:
    threads = dict.fromkeys((last.thread, first.thread, *(e.thread for e in execution.events if e.thread)))
    one = next((e for e in events if e.thread in (first.thread, last.thread)), events[0])
    others = [next(o for o in execution.events if o.thread == thread) for thread in threads if thread != one.thread]
    reason = next((r for other in others if (r := left_out(execution, one, other)) is not None), None)
    if reason is not None:
        return f"{access_name(one)} is {reason}: {wider.lower()} scope would"
    scope = one.scope.name.lower() if one.scope is not None else "no"
    return f"{access_name(one)} is at {scope} scope, and would have to be at {wider.lower()} scope"
