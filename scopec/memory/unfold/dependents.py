"""The operations before the start of a dependent grid, which need not wait for the end of the grid that it depends on.

Each block of that grid lets it start (``griddepcontrol.launch_dependents``), or has ended.  Memory is ordered by a
release fence before that alone (PTX ISA 9.4, "griddepcontrol"), at device scope in one memory synchronization domain,
and not by the end of a block.  "Repeated invocations of this instruction by threads in the current CTA will have no
additional side effects past that of the first", and of several threads any may be the first.  So

- of a block in which one thread does it, the fences before it come before the start;
- of one in which several do, the last barrier of the block before the fence of each, if it is the same for all.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from scopec.memory.events.events import Event, Kind, Synchronises
from scopec.program import ir, values
from scopec.program.show import shown_call
from scopec.program.streams import prerequisites, queued
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from scopec.memory.unfold.unfolding import Unfolding
    from scopec.program.collective import Barrier

_RELEASES = (ir.Order.RELEASE, ir.Order.ACQ_REL, ir.Order.SEQ_CST)


def released(out: Unfolding, reported: Callable[[str], Value | None]) -> Iterator[Synchronises]:
    """The pairs of what a block has released when it lets a dependent grid start, and all of that grid.

    And of a call that waits for the event of its launch: ``reported`` says where a call finds that it has come.
    """
    threads = {thread.name: thread for thread in out.program.threads}
    for first, scope, inside, what, condition in _let(out, threads):
        for block, triggers in _triggers(out, first, threads).items():
            if before := _before(out, triggers, scope):
                taken = [trigger.guard.value(out.conditions) for trigger in triggers]
                found = None if condition is None else reported(condition)
                when = reduce(lambda a, b: values.binary("&&", a, b), taken if found is None else [*taken, found])
                known = None if isinstance(when, Const) else when
                yield Synchronises(before, inside, f"{block} lets {what}", known)


def _let(
    out: Unfolding, threads: Mapping[str, ir.Thread]
) -> Iterator[tuple[str, ir.Scope, tuple[str, ...], str, str | None]]:
    """The grids whose blocks let others go on: each with the scope that a fence needs, and with who goes on.

    These are events, in words, and a call of which they are what comes behind.
    """
    work, grids = queued(out.program), out.program.grids
    for second in out.launches:
        inside = tuple(e.id for e in out.events if e.thread in threads and threads[e.thread].grid == second)
        for first in prerequisites(work, second):
            if inside and first.fires is ir.Fires.TRIGGERED:
                one, other = grids[first.grid], grids[second]
                near = one.domain == other.domain and one.device == other.device
                yield first.grid, ir.Scope.DEVICE if near else ir.Scope.SYSTEM, inside, f"{second} start", None
    for call, operation in out.calls.items():
        if isinstance(operation, ir.LaunchSynchronize | ir.LaunchQuery) and operation.fires is ir.Fires.TRIGGERED:
            yield operation.grid, ir.Scope.SYSTEM, (call,), f"{shown_call(operation)} return", call


def _triggers(out: Unfolding, grid: str, threads: Mapping[str, ir.Thread]) -> Mapping[str, Sequence[Event]]:
    """The events with which the threads of each block of a grid let others start."""
    found: dict[str, list[Event]] = {}
    for event in out.events:
        if isinstance(out.calls.get(event.id), ir.TriggerDependents) and threads[event.thread].grid == grid:
            found.setdefault(threads[event.thread].block_name, []).append(event)
    return found


def _before(out: Unfolding, triggers: Sequence[Event], scope: ir.Scope) -> tuple[str, ...]:
    """The events that a release fence follows whichever of these is the first one of its block."""
    fences = [_fences(out, trigger, scope) for trigger in triggers]
    if len(triggers) == 1:
        return tuple(fence.id for fence in fences[0])
    waits: list[str] = []
    phases: set[tuple[Barrier, Value]] = set()
    for its in fences:
        wait = _last_wait(out, its[-1]) if its else None
        if wait is None:
            return ()
        passage = out.barriers[wait.id]
        phases.add((passage.barrier, passage.phase))
        waits.append(wait.id)
    (_, phase), *others = phases
    return () if others or not isinstance(phase, Const) else tuple(dict.fromkeys(waits))


def _fences(out: Unfolding, trigger: Event, scope: ir.Scope) -> list[Event]:
    """The release fences of a thread before an event, executed wherever that is."""
    earlier = out.events[: out.events.index(trigger)]
    fences = (e for e in earlier if e.thread == trigger.thread and e.kind is Kind.FENCE and e.order in _RELEASES)
    wide = (fence for fence in fences if fence.scope is not None and fence.scope >= scope)
    return [fence for fence in wide if (trigger.guard & ~fence.guard).never]


def _last_wait(out: Unfolding, fence: Event) -> Event | None:
    """The last passage of a thread through a barrier before a fence, if that is one of its whole block."""
    for event in reversed(out.events[: out.events.index(fence)]):
        if event.thread == fence.thread and event.kind is Kind.WAIT:
            barrier = out.barriers[event.id].barrier
            whole = barrier.group is None and not barrier.named
            return event if whole and (fence.guard & ~event.guard).never else None
    return None
