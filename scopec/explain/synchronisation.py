"""Hand-overs that do not synchronise: the way of a value from one thread to another, and where it breaks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from scopec.base.graphs import components
from scopec.base.records import dataclass
from scopec.memory.events.events import Kind, shown_location
from scopec.memory.events.inclusion import left_out
from scopec.program.observe import lifetime_of

if TYPE_CHECKING:
    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution

#: Reads that are put into words; a picture shows the others.
_MOST_READS = 6


def access_name(event: Event) -> str:
    """``the store at mp.cu:9``, ``the cudaFree of p at mp.cu:9``."""
    if (of := lifetime_of(event.location)) is not None:
        return f"the {event.text if event.writes else f'use of {of}'} at {place(event)}"
    if event.kind is Kind.FENCE:
        verb = "fence"
    elif event.rmw is not None or (event.atomic and not event.load_or_store):
        verb = "read-modify-write"
    elif event.atomic:
        verb = "load" if event.kind is Kind.READ else "store"
    else:
        verb = "read" if event.kind is Kind.READ else "write"
    return f"the {verb} at {place(event)}"


def place(event: Event) -> str:
    """``mp.cu:9``."""
    return f"{event.span.file.rpartition('/')[2]}:{event.span.line}"


@dataclass(frozen=True, slots=True)
class Broken:
    """A way from one access to another by program order and reads-from, where one hand-over does not synchronise."""

    way: tuple[Event, ...]
    write: Event
    read: Event
    why: str


def broken(execution: Execution, pair: tuple[Event, Event]) -> Broken | None:
    """The point at which the way between two accesses breaks; None without a way, or with nothing else on it."""
    for first, last in (pair, pair[::-1]):
        way = _way(execution, first, last)
        for number, (write, read) in enumerate(pairwise(way)):
            handed = (write.kind, read.kind) == (Kind.WRITE, Kind.READ) and write.thread != read.thread
            if not handed or {write, read} == set(pair):
                continue
            why = _not_synchronising(execution, write, read) or _not_covered(execution, way, number)
            if why is not None:
                return Broken(way, write, read, why)
    return None


def unordered(execution: Execution, pair: tuple[Event, Event]) -> str:
    """The reason why nothing orders two accesses: a value went from one thread to the other without synchronising."""
    found = broken(execution, pair)
    if found is None:
        return "no synchronisation orders one before the other"
    lines = f"line {found.read.span.line} what {found.write.thread} wrote at line {found.write.span.line}"
    return f"nothing orders the two: {found.read.thread} reads at {lines}, but {found.why}"


def _way(execution: Execution, first: Event, last: Event) -> tuple[Event, ...]:
    """The events on a shortest way between two, by program order, barriers, and values that atomic operations hand
    over; none if there is no way."""
    after: dict[Event, list[Event]] = {}
    handed = [(a, b) for a, b in execution.relation("rf") if a.atomic and b.atomic]
    for a, b in (*execution.relation("po"), *handed, *execution.relation("asw")):
        after.setdefault(a, []).append(b)
    came_from: dict[Event, Event] = {}
    open_ = [first]
    for event in open_:
        for following in after.get(event, ()):
            if following not in came_from and following is not first:
                came_from[following] = event
                open_.append(following)
    if last not in came_from:
        return ()
    way = [last]
    while way[-1] is not first:
        way.append(came_from[way[-1]])
    return tuple(reversed(way))


def too_narrow(execution: Execution, one: Event, other: Event) -> list[Event]:
    """Those of two accesses, and of the fences that could make them synchronise, whose scope leaves out the other."""
    ends = [(e, other) for e in _ends(execution, one, before=True)]
    ends += [(e, one) for e in _ends(execution, other, before=False)]
    return [e for e, beyond in ends if e.scope is not None and left_out(execution, e, beyond) is not None]


def _not_covered(execution: Execution, way: Sequence[Event], number: int) -> str | None:
    """The reason why the fences that order a write and the read after it on a way do not order its ends: they stand
    before the one, or after the other, in their threads.
    """
    write, read = way[number : number + 2]
    enters = next((b for a, b in pairwise(way[: number + 1]) if b.thread == write.thread != a.thread), way[0])
    leaves = next((a for a, b in pairwise(way[number + 1 :]) if a.thread == read.thread != b.thread), way[-1])
    order = set(execution.relation("po"))
    found = None
    for release in _ends(execution, write, before=True):
        for acquire in _ends(execution, read, before=False):
            if (release, acquire) in execution.synchronisation:
                if (release, enters) in order:
                    found = f"{access_name(release)} is before {_passed(enters)}"
                elif (leaves, acquire) in order:
                    found = f"{access_name(acquire)} is after {_passed(leaves)}"
                else:
                    return None
    return found


def _passed(event: Event) -> str:
    """A step that a fence stands on the wrong side of, and what that says."""
    if event.kind in (Kind.ARRIVE, Kind.WAIT):
        return f"the barrier at {place(event)}, so it orders only the accesses of {event.thread} itself"
    return access_name(event)


def _not_synchronising(execution: Execution, write: Event, read: Event) -> str | None:
    """The reason why an atomic read of another thread's atomic write does not order the two, or None if it does.

    None also where the model has no synchronises-with, or has another reason.
    """
    if execution.derived("sw") is None or not (write.atomic and read.atomic):
        return None
    releases, acquires = _ends(execution, write, before=True), _ends(execution, read, before=False)
    if any(pair in execution.synchronisation for pair in ((r, a) for r in releases for a in acquires)):
        return None
    weak = []
    if not any(e.order is not None and e.order.releases for e in releases):
        weak.append(f"{access_name(write)} is not a release")
    if not any(e.order is not None and e.order.acquires for e in acquires):
        weak.append(f"{access_name(read)} is not an acquire")
    if not weak:
        narrow = [(e, left_out(execution, e, read)) for e in releases]
        narrow += [(e, left_out(execution, e, write)) for e in acquires]
        weak = [f"{access_name(e)} is {reason}" for e, reason in narrow if reason is not None]
    return " and ".join(weak) or None


def _ends(execution: Execution, event: Event, *, before: bool) -> list[Event]:
    """An access and the fences of its thread before or after it: what makes it a release or an acquire."""
    near = [(a, b) if before else (b, a) for a, b in execution.relation("po")]
    return [event, *(fence for fence, access in near if access is event and fence.kind is Kind.FENCE)]


# ---------------------------------------------------------------- what comes early


def early(execution: Execution) -> Iterator[str]:
    """The stores that must take effect before loads that come before them, a sentence each, and why they may.

    Empty unless program order and reads-from make a cycle, under a model that asks for dependencies.
    """
    if "dep" not in execution.model.mentioned:
        return
    after: dict[Event, list[Event]] = {}
    order, handed = execution.relation("po"), execution.relation("rf")
    for a, b in (*order, *handed):
        after.setdefault(a, []).append(b)
    groups = components(list(after), lambda event: after.get(event, ()))
    round_ = {event: number for number, group in enumerate(groups) for event in group}
    between = [(a, b) for a, b in handed if a.thread != b.thread and round_[a] == round_[b]]
    stores, loads = {a for a, _ in between}, {b for _, b in between}
    pairs = [(a, b) for a, b in order if a in loads and b in stores and round_[a] == round_[b]]
    if pairs:
        dependent = replace(execution.base, whole=True).real.pairs
        for load, store in pairs:
            if (load.id, store.id) not in dependent:
                names = f"{access_name(store)} takes effect before {access_name(load)}"
                yield f"{names} of the same thread: it does not depend on what that returns"


# ---------------------------------------------------------------- what reads return


def reads(execution: Execution, threads: Collection[str] = ()) -> Iterator[str]:
    """The values that reads return, a sentence each, and why they need not return what was written later.

    Those of ``threads``, which a condition names, come first; of the others those that read what another thread wrote.
    """
    found = [r for r in execution.events if r.kind is Kind.READ and lifetime_of(r.location) is None]
    sources = {read: execution.graph.by_id[write] for write, read in execution.choice.rf}
    told = [r for r in found if r.thread in threads]
    told += [r for r in found if r.thread not in threads and sources[r.id].thread != r.thread]
    for read in told[:_MOST_READS]:
        yield _read(execution, read, sources[read.id])
    if len(told) > _MOST_READS:
        yield f"{len(told) - _MOST_READS} more reads are not told here"


def _read(execution: Execution, read: Event, source: Event) -> str:
    assert read.location is not None
    name = shown_location(read.location, execution.graph.program)
    said = f"{read.thread} reads {name} = {execution.values.get(read.id)} at line {read.span.line}"
    if source.kind is Kind.INIT:
        said += ", its initial value"
    else:
        writer = "it" if source.thread == read.thread else source.thread
        said += f", which {writer} wrote at line {source.span.line}"
    unseen = _unseen(execution, read)
    if unseen is not None:
        return f"{said}: nothing makes it see what {unseen.thread} writes at line {unseen.span.line}"
    why = (
        None
        if source.kind is Kind.INIT or source.thread == read.thread
        else _not_synchronising(execution, source, read)
    )
    return f"{said}, without synchronising: {why}" if why else said


def _unseen(execution: Execution, read: Event) -> Event | None:
    """A write of another thread that replaces what was read, and is not after the read anyway."""
    if read.rmw is not None:
        return None
    ordered = set(execution.derived("hb") or ())
    later = {b for a, b in execution.relation("co") if (a.id, read.id) in execution.choice.rf}
    return next(
        (w for w in execution.events if w in later and w.thread != read.thread and (read, w) not in ordered), None
    )
