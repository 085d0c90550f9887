"""Threads that are stopped from outside: when the process ends, or a grid is aborted.

A thread that is stopped has done what comes before some place in program order, and nothing more.  How far it gets is a
choice of each execution in which something stops it.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from operator import and_, or_
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.events.events import Kind, unsequenced
from scopec.program import ir, types, values
from scopec.program.names import identifier
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from scopec.memory.events.events import Event
    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.asw import Ordering
    from scopec.memory.unfold.unfolding import Unfolding
    from scopec.program.values import Value


@dataclass(frozen=True)
class Steps:
    """The steps of a thread that may be stopped: each event with where the thread gets so far, in their order."""

    performed: Mapping[str, Guard]
    sequenced: bool

    def all_of(self, events: Iterable[str], always: Guard) -> Guard:
        """The paths on which the thread gets beyond all of some events, which are the first ones."""
        guards = [self.performed[e] for e in events]
        return reduce(and_, guards[-1:] if self.sequenced else guards, always)

    def begun(self, never: Guard) -> Guard:
        """The paths on which the thread takes a step."""
        guards = list(self.performed.values())
        return reduce(or_, guards[:1] if self.sequenced else guards, never)


@dataclass(frozen=True)
class Stopping:
    """The calls that may stop threads (``by``), how far these get (``steps``), and on which paths they end
    (``present``).
    """

    by: Mapping[str, tuple[str, ...]]
    steps: Mapping[str, Steps]
    present: Mapping[str, Guard]


NOTHING = Stopping({}, {}, {})


def stopping(out: Unfolding, ordering: Ordering) -> Stopping:
    """Let each thread that something may stop stop anywhere: strengthens the guards in ``out``."""
    by: dict[str, tuple[str, ...]] = {}
    begun = {e.thread for e in out.events} | {c.thread for c in out.cuts}
    for thread in out.program.threads:
        calls = tuple(call for call, op in out.calls.items() if _stops(out, ordering, call, op, thread))
        if calls and thread.name in begun:
            by[thread.name] = calls
    if not by:
        return NOTHING
    steps = {thread: _steps(out, thread) for thread in by}
    starts = {t.name: _starts(out, ordering, t, steps) for t in out.program.threads}
    position = {e.id: n for n, e in enumerate(out.events)}
    always, never = out.guards.always, out.guards.never

    def at(thread: str, where: int | None = None) -> Guard:
        """The paths on which a thread gets to a place in the list of events, or to its end."""
        if thread not in steps:
            return starts[thread]
        before = (e for e in steps[thread].performed if where is None or position[e] < where)
        return starts[thread] & steps[thread].all_of(before, always)

    def inside(thread: str, where: int) -> Guard:
        """The same, of a place before which a thread that takes no step does not get."""
        begun = steps[thread].begun(never) if thread in steps and steps[thread].performed else always
        return at(thread, where) & begun

    out.strengthen(lambda e: e.guard & starts[e.thread] & _performed(e, steps, always), at, inside)
    return Stopping(by, steps, {thread: at(thread) for thread in starts})


def _stops(out: Unfolding, ordering: Ordering, call: str, operation: ir.Operation, thread: ir.Thread) -> bool:
    """Whether a call stops a thread, if that has not ended before in every execution.

    What is in no grid is of the host; "the host function will not be called in the event of an error in the CUDA
    context", but goes on if it has been (CUDA runtime API, cudaLaunchHostFunc).
    """
    event = ordering.event[call]
    if event.thread == thread.name:
        return False
    match operation:
        case ir.EndProcess():
            joins = (c for c, op in out.calls.items() if op == ir.JoinThread(thread.name))
            ended = (ordering.order.precedes(j, call) and (event.guard & ~ordering.event[j].guard).never for j in joins)
            return thread.grid is None and thread.is_host and not any(ended)
        case ir.Trap():
            caller = next(t for t in out.program.threads if t.name == event.thread)
            return thread.grid is not None and thread.device == caller.device
        case _:
            return False


def _steps(out: Unfolding, thread: str) -> Steps:
    """The step up to which a thread gets: a number, of its events or, where they are in no order, one choice each.

    The halves of a read-modify-write are one step, and so are the elements of a vector that is whole.
    """
    own = [e for e in out.events if e.thread == thread]
    performed: dict[str, Guard] = {}
    if any(unsequenced(a, b) for a, b in combinations(own, 2)):
        for event in own:
            if event.kind is Kind.WRITE and event.rmw in performed:
                performed[event.id] = performed[event.rmw]
                continue
            whole = next((e.id for e in own if e.id in performed and None is not e.vector == event.vector), None)
            if whole is not None:
                performed[event.id] = performed[whole]
                continue
            choice = out.choose(identifier(thread), f"reached_{event.id}")
            before = (performed[e.id] for e in own if e.id in performed and not unsequenced(e, event))
            performed[event.id] = reduce(and_, before, out.literal(choice))
        return Steps(performed, sequenced=False)
    reached, last = out.chosen(identifier(thread), "reached", types.INT), 0
    for event in own:
        last += event.kind is not Kind.WRITE or event.rmw not in performed
        performed[event.id] = out.literal(values.binary(">=", reached, Const(last, types.INT)))
    out.choose(identifier(thread), "reached", types.INT, range(last + 1))
    return Steps(performed, sequenced=True)


def _starts(out: Unfolding, ordering: Ordering, thread: ir.Thread, steps: Mapping[str, Steps]) -> Guard:
    """The paths on which the calls are made that start a thread, as far as that depends on how far others get."""
    start = out.creations.get(thread.name) if thread.grid is None else out.launches.get(thread.grid)
    if start is None:
        return out.guards.always
    event = ordering.event[start]
    starter = next(t for t in out.program.threads if t.name == event.thread)
    return _performed(event, steps, out.guards.always) & _starts(out, ordering, starter, steps)


def _performed(event: Event, steps: Mapping[str, Steps], always: Guard) -> Guard:
    return steps[event.thread].performed[event.id] if event.thread in steps else always


# ---------------------------------------------------------------- what no execution has


def impossible(
    out: Unfolding, ordering: Ordering, stops: Stopping, performed: Callable[[str], Guard]
) -> Iterator[tuple[Guard, Value]]:
    """A thread that nothing stops, and that does not get to its end; work that begins after a grid was aborted.

    ``performed`` says where a call is made.
    """
    always, never = out.guards.always, out.guards.never
    for thread, calls in stops.by.items():
        stopped = reduce(or_, map(performed, calls), never)
        whole = stops.steps[thread].all_of(stops.steps[thread].performed, always)
        yield ~stopped & ~whole, values.TRUE
    traps = [call for call, operation in out.calls.items() if isinstance(operation, ir.Trap)]
    later = _later(out, ordering) if traps else {}
    threads = {t.name: t for t in out.program.threads}
    for call in traps:
        aborted = threads[ordering.event[call].thread].grid
        if aborted is not None:
            for thread, steps in stops.steps.items():
                path = later.get((aborted, threads[thread].grid or ""))
                if path is not None:
                    yield performed(call) & path & steps.begun(never), values.TRUE


def _later(out: Unfolding, ordering: Ordering) -> dict[tuple[str, str], Guard]:
    """The pairs of grids of which the second starts after the completion of the first, and on which paths."""
    found: dict[tuple[str, str], Guard] = {}

    def add(first: str, second: str, path: Guard) -> bool:
        before = found.get((first, second), out.guards.never)
        found[first, second] = before | path
        return found[first, second] != before

    for first, second, path in ordering.stream_order():
        add(first, second, path)
    for call, grid, path, when in ordering.completions():
        reported = path if when is None else path & out.literal(when)
        for second, launch in out.launches.items():
            add(grid, second, reported & ordering.order.before(call.id, launch))
    changed = True
    while changed:
        changed = False
        for (a, b), path in list(found.items()):
            for (c, d), other in list(found.items()):
                changed |= b == c and add(a, d, path & other)
    return {pair: path for pair, path in found.items() if not path.never}
