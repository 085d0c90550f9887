"""Accesses outside an object's lifetime: the end or beginning that is meant, and the order that it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.explain.streams import by_work, early_work
from scopec.explain.synchronisation import access_name, broken, unordered
from scopec.memory.events.events import Kind
from scopec.memory.unfold.existence import THERE
from scopec.program import values
from scopec.program.observe import lifetime_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scopec.memory.events.events import Assertion, Event
    from scopec.memory.execution import Execution


def bound(execution: Execution, pair: tuple[Event, Event]) -> str:
    """The reason why an access to an object races with its beginning or end, or two ends with each other."""
    (mark, other), *_ = [p for p in (pair, pair[::-1]) if p[0].writes]
    when = "after" if _begins(execution, mark) else "before"
    return _may_come(execution, mark, when, other)


def lifetimes(execution: Execution, failing: Iterable[Assertion]) -> Iterator[str]:
    """The lifetimes that have ended, or not begun, in assertions that fail for it, a sentence each."""
    events = {event.id: event for event in execution.events}
    sources = {read: write for write, read in execution.choice.rf}
    for assertion in failing:
        for leaf in values.leaves(assertion.condition):
            use = events.get(leaf.name)
            if use is not None and use.id in sources and lifetime_of(use.location) is not None:
                yield _told(execution, use, events[sources[use.id]])


def _told(execution: Execution, use: Event, source: Event) -> str:
    ordered = {(a.id, b.id) for a, b in execution.derived("hb") or ()}
    if source.kind is not Kind.INIT:
        if (source.id, use.id) in ordered:
            return f"{access_name(source)} comes before {access_name(use)}"
        return _may_come(execution, source, "before", use)
    begins = (e for e in execution.events if e.location == use.location and e.writes and _begins(execution, e))
    begin = next(begins, None)
    if begin is None:
        return f"{access_name(use)} comes before it is there"
    if (use.id, begin.id) in ordered:
        return f"{access_name(begin)} comes after {access_name(use)}"
    return _may_come(execution, begin, "after", use)


def _may_come(execution: Execution, mark: Event, when: str, other: Event) -> str:
    """That a beginning or an end may come before or after a use, and why: of work of streams, with these."""
    early = None if broken(execution, (mark, other)) is not None else early_work(execution, (mark, other))
    within = "" if early is None else early.within
    names = [_with_work(execution, event, within=bool(within)) for event in (mark, other)]
    why = unordered(execution, (mark, other)) if early is None else early.why
    return f"{within}{names[0]} may come {when} {names[1]}: {why}"


def _with_work(execution: Execution, event: Event, *, within: bool) -> str:
    by = by_work(execution, event, within=within)
    return access_name(event) if by is None else f"{access_name(event)} {by}"


def _begins(execution: Execution, event: Event) -> bool:
    return event.value is not None and execution.value(event.value) == THERE
