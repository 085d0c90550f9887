"""Partial executions: a thread that waits for one that does not get on does not get on either.

A race may happen in an execution that never completes, so executions in which a thread stays in a loop are part of the
memory question.  In these, what comes after a wait for that thread (a barrier, the completion of a grid) is not
executed.  This pass adds to each event's guard that no wait before it is in vain.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.memory.events import Cut, Kind
from scopec.program import ir, values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.memory.asw import Ordering
    from scopec.memory.events import Event
    from scopec.memory.guards import Guard
    from scopec.memory.symbolic import Collected
    from scopec.program.values import Value


def block(out: Collected, ordering: Ordering) -> list[tuple[Guard, Value]]:
    """Strengthen the guards in ``out``; each wait that may be in vain becomes a cut (its execution is not complete).

    Returns what no execution has: a query that reports the completion (the value) of a grid of which a thread is stuck
    (the guard).
    """
    if not out.cuts:
        return []
    return _Blocking(out, ordering).run()


class _Blocking:
    def __init__(self, out: Collected, ordering: Ordering) -> None:
        self.out = out
        self.ordering = ordering
        self.thread_grid = {t.name: t.grid for t in out.program.threads}
        #: Where a thread is stuck, and for each event where its thread is stuck before it.
        self.stuck: dict[str, Guard] = defaultdict(lambda: out.guards.never)
        for cut in out.cuts:
            self.stuck[cut.thread] |= cut.guard
        self.before: dict[str, Guard] = {e.id: out.guards.never for e in out.events}
        self.waits: dict[str, Guard] = {}

    def run(self) -> list[tuple[Guard, Value]]:
        while self._propagate():
            pass
        never = self.out.guards.never
        self.out.events = [replace(e, guard=e.guard & ~self.before[e.id]) for e in self.out.events]
        self.out.assertions = [replace(a, guard=a.guard & ~self._at(a.thread, a.position)) for a in self.out.assertions]
        cuts = [replace(c, guard=c.guard & ~self._at(c.thread, c.position)) for c in self.out.cuts]
        for event in self.out.events:
            guard = self.waits.get(event.id, never)
            if not guard.never:
                cuts.append(Cut(event.thread, event.span, guard, wait=True))
        self.out.cuts = [cut for cut in cuts if not cut.guard.never]
        return list(self._impossible())

    def _propagate(self) -> bool:
        """One round: waits for what is stuck are stuck, and so is all that comes after them in their thread."""
        changed = False
        reasons: dict[str, Guard] = defaultdict(lambda: self.out.guards.never)
        for call, grid, path, when in self.ordering.completions():
            if when is None:
                reasons[call.id] |= path & self._grid_stuck(grid)
        for call_id, operation in self.out.calls.items():
            if isinstance(operation, ir.JoinThread):
                reasons[call_id] |= self.stuck[operation.thread]
        for wait, stuck in self._barriers():
            reasons[wait] |= stuck
        starts: dict[str, Guard] = defaultdict(lambda: self.out.guards.never)
        for first, second, path in self.ordering.stream_order():
            starts[second] |= path & self._grid_stuck(first)
        launches, creations = self.out.launches, self.out.creations
        for thread in self.out.program.threads:
            before = starts[thread.grid] if thread.grid is not None else self.out.guards.never
            if thread.grid in launches:
                before |= self.before[launches[thread.grid]]
            if thread.name in creations:
                before |= self.before[creations[thread.name]]
            for event in (e for e in self.out.events if e.thread == thread.name):
                # A wait that is in vain is not passed: the event itself is not executed.
                if event.id in reasons:
                    self.waits[event.id] = event.guard & ~before & reasons[event.id]
                    before |= event.guard & reasons[event.id]
                if before != self.before[event.id]:
                    self.before[event.id] = before
                    changed = True
            stuck = self.stuck[thread.name] | before
            if stuck != self.stuck[thread.name]:
                self.stuck[thread.name] = stuck
                changed = True
        return changed

    def _grid_stuck(self, grid: str) -> Guard:
        guard = self.out.guards.never
        for thread, name in self.thread_grid.items():
            if name == grid:
                guard |= self.stuck[thread]
        return guard

    def _barriers(self) -> Iterator[tuple[str, Guard]]:
        """Waits at barriers, with where another thread that uses it is stuck and has not arrived in that phase."""
        arrived: dict[tuple[str, str], Guard] = defaultdict(lambda: self.out.guards.never)
        for arrival, wait, when in self.ordering.phases():
            here = arrival.guard & ~self.before[arrival.id]
            if when is not None:
                here &= self._literal(when)
            arrived[arrival.thread, wait.id] |= here
        for wait in (e for e in self.out.events if e.kind is Kind.WAIT):
            for thread in self._members(wait):
                if thread != wait.thread and thread in self.stuck:
                    yield wait.id, self.stuck[thread] & ~arrived[thread, wait.id]

    def _members(self, wait: Event) -> list[str]:
        """The threads that a barrier joins, whether they ever arrive or not."""
        barrier = self.out.barriers[wait.id].barrier
        return [thread.name for thread in self.out.program.threads if barrier.joins(thread)]

    def _literal(self, value: Value) -> Guard:
        """A condition as a guard: the branch condition that it is, or a new one."""
        negated = values.unary("!", value)
        for number, known in enumerate(self.out.conditions):
            if known in (value, negated):
                return self.out.guards.literal(number, known == value)
        self.out.conditions.append(value)
        return self.out.guards.literal(len(self.out.conditions) - 1, True)

    def _at(self, thread: str, position: int) -> Guard:
        """Where a thread is stuck before the event that is at a position of the list of events, or the last one."""
        own = [e for e in self.out.events if e.thread == thread]
        earlier = [e for e in own if self.ordering.position[e.id] < position]
        return self.before[earlier[-1].id] if earlier else self.out.guards.never

    def _impossible(self) -> Iterator[tuple[Guard, Value]]:
        for _, grid, path, when in self.ordering.completions():
            stuck = path & self._grid_stuck(grid)
            if when is not None and not stuck.never:
                yield stuck, when
