"""Partial executions: a thread that waits for a blocked thread is blocked.

A race may happen in an execution that never completes, so executions in which a thread stays in a loop are part of the
memory question.  In these, what comes after a wait for that thread (a barrier, the completion of a grid) is not
executed.  This pass adds to each event's guard that no wait before it is in vain.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.memory.events.events import Cut, Kind, Left, Wait
from scopec.memory.unfold.stopping import NOTHING, Stopping, impossible
from scopec.program import ir, values
from scopec.program.collective import arrives_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scopec.memory.events.events import Event
    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.asw import Ordering
    from scopec.memory.unfold.counted_barriers import Quorums
    from scopec.memory.unfold.unfolding import Unfolding
    from scopec.program.collective import Barrier, Passage
    from scopec.program.values import Value


def block(out: Unfolding, ordering: Ordering, quorums: Quorums, stops: Stopping = NOTHING) -> list[tuple[Guard, Value]]:
    """Strengthen the guards in ``out``; each wait that may be in vain becomes a cut (its execution is not complete).

    Returns what no execution has: a query that reports the completion (the value) of a grid of which a thread is stuck
    (the guard), phases that no order of arrivals gives, and threads that stop although nothing stops them.
    """
    apart = any(passage.barrier.named for passage in out.barriers.values()) or not _in_step(out)
    if not out.cuts and not stops.by and not apart:
        return []  # threads that meet at one barrier cannot wait for each other in vain
    return Blocking(out, ordering, quorums, stops=stops).run()


def _in_step(out: Unfolding) -> bool:
    """Whether threads that exchange something all come to the same barriers, one after the other, on the same paths."""
    if not any(passage.barrier.exchange for passage in out.barriers.values()):
        return True
    arrivals: dict[str, list[Event]] = defaultdict(list)
    for event in out.events:
        if event.kind is Kind.ARRIVE:
            arrivals[event.thread].append(event)
    ways = {
        thread: [(out.barriers[e.id].barrier, out.barriers[e.id].phase, e.guard) for e in its]
        for thread, its in arrivals.items()
    }
    joined = {
        b: [t.name for t in out.program.threads if b.joins(t)] for b in {b for way in ways.values() for b, *_ in way}
    }
    return all(
        len(ways.get(other, ())) > n and ways[other][n] == meeting
        for way in ways.values()
        for n, meeting in enumerate(way)
        for other in joined[meeting[0]]
    )


class Blocking:
    """The paths on which threads of a program wait in vain.

    ``idle`` are threads without events; ``forgives`` are the barriers that do not wait for threads that have exited.
    """

    def __init__(
        self,
        out: Unfolding,
        ordering: Ordering,
        quorums: Quorums,
        idle: tuple[ir.Thread, ...] = (),
        forgives: Callable[[Barrier], bool] = lambda _: True,
        stops: Stopping = NOTHING,
    ) -> None:
        self.out = out
        self.ordering = ordering
        self.quorums = quorums
        self.forgives = forgives
        self.stops = stops
        self.threads = (*out.program.threads, *idle)
        self.thread_grid = {t.name: t.grid for t in self.threads}
        self.own: dict[str, list[Event]] = {t.name: [] for t in self.threads}
        for event in out.events:
            self.own[event.thread].append(event)
        self.members = {e.id: self._members(e) for e in out.events if e.kind is Kind.WAIT}
        #: The arrivals that a wait is of a phase with, and where.
        self.arrivals: dict[str, list[tuple[Event, Guard]]] = defaultdict(list)
        #: The waits for an arrival, and those for a thread.
        self.waits_for: dict[str, set[str]] = defaultdict(set)
        self.waits_for_thread: dict[str, set[str]] = defaultdict(set)
        for arrival, wait, when in ordering.phases():
            self.arrivals[wait.id].append((arrival, out.guards.always if when is None else out.literal(when)))
            self.waits_for[arrival.id].add(wait.id)
        for wait_id, threads in self.members.items():
            for thread in threads:
                self.waits_for_thread[thread].add(wait_id)
        self.alike = dict(self._alike())
        for wait_id, arrivals in self.alike.items():
            for arrival, _ in arrivals:
                self.waits_for[arrival.id].add(wait_id)
        #: Where each wait at a barrier is in vain, and the waits of which something has changed since that was found.
        self.vain: dict[str, Guard] = {}
        self.changed = set(self.members)
        #: Where a thread goes round a loop for ever, if it gets there; where it is stuck; for each event where its
        #: thread is stuck before it.  At first everything is taken to be stuck: what remains when waits that are
        #: met are taken out, round by round, is what waits in vain, for each other included.
        self.endless: dict[str, Guard] = {t.name: out.guards.never for t in self.threads}
        for cut in out.cuts:
            self.endless[cut.thread] |= cut.guard
        #: The waits that threads come to unless they go round a loop for ever, as `_certain` says.
        self.certain = {wait for name, own in self.own.items() for wait in self._certain(name, own)}
        self.stuck: dict[str, Guard] = dict.fromkeys(self.endless, out.guards.always)
        #: The same, those included that something stops from outside: they hold up who waits for what they do.
        self.halted: dict[str, Guard] = dict(self.stuck)
        self.before: dict[str, Guard] = {e.id: out.guards.always for e in out.events}
        #: Where a thread is stuck before it begins; of an event that is a wait, where its thread is stuck before it and
        #: where there is a reason to be in vain; in the end, where it is in vain.
        self.begins_late: dict[str, Guard] = {}
        self.met: dict[str, tuple[Guard, Guard]] = {}
        self.waits: dict[str, Guard] = {}
        #: The calls with which a thread aborts its grid.
        self.traps: dict[str, list[str]] = defaultdict(list)
        for call, operation in out.calls.items():
            if isinstance(operation, ir.Trap):
                self.traps[ordering.event[call].thread].append(call)
        #: The paths on which some order of the arrivals gives their phases.
        self.possible = out.guards.always

    def run(self) -> list[tuple[Guard, Value]]:
        """Strengthen the guards; returns what no execution has, as :func:`block`."""
        while self._propagate():
            pass
        never = self.out.guards.never
        for event in (e for e in self.out.events if e.id in self.met):
            before, reason = self.met[event.id]
            self.waits[event.id] = event.guard & (reason & ~before)  # waits of a phase have one `reason & ~before`
        self.possible = ~self._no_order()
        self.out.strengthen(lambda e: self._performed(e).where(self.possible), lambda t, n: ~self._at(t, n))
        cuts = list(self.out.cuts)
        stopped = {thread: self.stopped(thread) for thread in self.stops.by}
        for event in self.out.events:
            guard = self.waits.get(event.id, never).where(self.possible)
            if not guard.never:
                # An arrival that comes too early for its phase stands for one that is of another.
                how = Left.LEFT_OUT if event.kind is Kind.ARRIVE else Left.WAITING
                cuts.append(Cut(event.thread, event.span, guard, wait=True, left=how, at=event.id))
                if how is Left.WAITING and not self._by_chance(event.id):
                    position = self.ordering.position[event.id]
                    wait = Wait(
                        event.thread, event.span, guard | event.guard, event.guard, position, position, event.id
                    )
                    self.out.waits.append(wait)
        cuts = [
            part
            for cut in cuts
            for part in (
                (cut,)
                if cut.fault or cut.thread not in stopped
                else (
                    replace(cut, guard=cut.guard & ~stopped[cut.thread]),
                    replace(cut, guard=cut.guard & stopped[cut.thread], stopped=True),
                )
            )
        ]
        self.out.cuts = [cut for cut in cuts if not cut.guard.never]
        return list(self._impossible())

    def _by_chance(self, event: str) -> bool:
        """Whether an event is a meeting of lanes by chance: nobody waits there for anything."""
        return event in self.out.barriers and self.out.barriers[event].barrier.chance

    def stopped(self, thread: str) -> Guard:
        """The paths on which something stops a thread."""
        guard = self.out.guards.never
        for call in self.stops.by.get(thread, ()):
            guard |= self._made(call)
        return guard

    def trapped(self, thread: str) -> Guard:
        """The paths on which a thread aborts its grid: it comes to no later barrier, and has not exited."""
        guard = self.out.guards.never
        for call in self.traps.get(thread, ()):
            guard |= self.ordering.event[call].guard
        return guard

    def _made(self, call: str) -> Guard:
        return self._performed(self.ordering.event[call])

    def _propagate(self) -> bool:
        """One round: waits for what is stuck are stuck, and so is all that comes after them in their thread.

        What is stuck can only become less from round to round.
        """
        changed = False
        reasons: dict[str, Guard] = defaultdict(lambda: self.out.guards.never)
        for call, grid, path, when in self.ordering.completions():
            if when is None:
                reasons[call.id] |= path & self.grid_stuck(grid)
        for call_id, operation in self.out.calls.items():
            if isinstance(operation, ir.JoinThread):
                reasons[call_id] |= self.halted[operation.thread]
        self._look_at_barriers()
        for passage, stuck in (*self.vain.items(), *self.quorums.early(self._performed)):
            reasons[passage] |= stuck
        starts: dict[str, Guard] = defaultdict(lambda: self.out.guards.never)
        for first, second, path in self.ordering.stream_order():
            starts[second] |= path & self.grid_stuck(first)
        launches, creations = self.out.launches, self.out.creations
        for thread in self.threads:
            before = starts[thread.grid] if thread.grid is not None else self.out.guards.never
            if thread.grid in launches:
                before |= self.before[launches[thread.grid]]
            if thread.name in creations:
                before |= self.before[creations[thread.name]]
            self.begins_late[thread.name] = before
            for event in self.own[thread.name]:
                # A wait that is in vain is not passed: the event itself is not executed.
                if event.id in reasons:
                    self.met[event.id] = before, reasons[event.id]
                    before |= reasons[event.id] if event.id in self.certain else event.guard & reasons[event.id]
                if before != self.before[event.id]:
                    self.before[event.id] = before
                    self.changed |= self.waits_for[event.id]
                    changed = True
            halted = self.endless[thread.name] | before
            stuck = halted & ~self.stopped(thread.name)
            if thread.name in self.stops.steps:
                halted |= ~self.stops.present[thread.name]
            halted |= self.trapped(thread.name)
            if (stuck, halted) != (self.stuck[thread.name], self.halted[thread.name]):
                self.stuck[thread.name], self.halted[thread.name] = stuck, halted
                self.changed |= self.waits_for_thread[thread.name]
                changed = True
        return changed

    def _certain(self, thread: str, own: Sequence[Event]) -> Iterator[str]:
        """The waits that a thread comes to unless it is endless, and on whose paths all is that it does later.

        On the others it makes no difference whether it is stuck before what comes later.  So why a wait is in vain is
        taken as it is, which is the same for all that wait together, and not on the paths of each of them.
        """
        out, never = self.out, self.out.guards.never
        if not {e.id for e in own}.isdisjoint((*out.launches.values(), *out.creations.values())):
            return  # who begins late asks where that is said to be
        position = self.ordering.position
        later = [
            *((position[e.id], e.guard) for e in own),
            *((a.position, a.guard) for a in out.assertions if a.thread == thread),
            *((c.position, c.guard) for c in out.cuts if c.thread == thread),
            *((w.position, w.reached) for w in out.waits if w.thread == thread),
            *((w.end, w.passed) for w in out.waits if w.thread == thread),
        ]
        rest = never  # what is done behind an event
        later.sort(key=lambda one: one[0])
        for event in reversed(own):
            while later and later[-1][0] > position[event.id]:
                rest |= later.pop()[1]
            others = ~event.guard
            if event.id in self.members and others.excludes(rest) and (others & ~self.endless[thread]).never:
                yield event.id

    def _performed(self, event: Event) -> Guard:
        return event.guard & ~self.before[event.id]

    def grid_stuck(self, grid: str) -> Guard:
        """The paths on which some thread of a grid does not end."""
        guard = self.out.guards.never
        for thread, name in reversed(self.thread_grid.items()):  # whose conditions come last: fewer nodes are new
            if name == grid:
                guard |= self.stuck[thread]
        return guard

    def _look_at_barriers(self) -> None:
        """Find where another thread that uses a barrier is stuck and has not arrived in the phase of a wait."""
        found: dict[Passage, Guard] = {}
        for wait in (e for e in self.out.events if e.id in self.members):
            passage = self.out.barriers[wait.id]
            if wait.id in self.changed or (passage.phases and passage.warps):  # quorums look at others' arrivals too
                if wait.id not in self.alike:
                    self.vain[wait.id] = self._in_vain(wait, self.arrivals[wait.id], wait.thread)
                    continue
                if passage not in found:
                    found[passage] = self._in_vain(wait, self.alike[wait.id])
                self.vain[wait.id] = found[passage]
        self.changed = set()

    def _alike(self) -> Iterator[tuple[str, Sequence[tuple[Event, Guard]]]]:
        """The waits that are in vain together, and all arrivals of their phase, the waiting thread's included.

        That it has not arrived is nothing new: where its arrival is not performed its wait is not either.
        """
        waits: dict[Passage, list[Event]] = defaultdict(list)
        for event in self.out.events:
            if event.id in self.members:
                waits[self.out.barriers[event.id]].append(event)
        for passage, own in waits.items():
            found = {arrival.id: (arrival, where) for wait in own for arrival, where in self.arrivals[wait.id]}
            came = {(a.thread, a.guard): self.ordering.position[a.id] for a, where in found.values() if where.always}
            if passage.barrier.named or passage.phases:
                continue
            for wait in own:
                if came.get((wait.thread, wait.guard), len(self.out.events)) < self.ordering.position[wait.id]:
                    yield wait.id, tuple(found.values())

    def _in_vain(self, wait: Event, arrivals: Sequence[tuple[Event, Guard]], but: str = "") -> Guard:
        """The paths on which a wait is in vain; it does not wait for a thread ``but``."""
        arrived: dict[str, Guard] = defaultdict(lambda: self.out.guards.never)
        for arrival, where in arrivals:
            arrived[arrival.thread] |= self._performed(arrival) & where
        found = self._too_few(wait, list(arrived.values()))
        for thread in reversed(self.members[wait.id]):  # as in a grid
            absent = self._absent(thread, wait) if thread != but else self.out.guards.never
            if not absent.never:
                found |= absent & ~arrived[thread]
        return found

    def _members(self, wait: Event) -> list[str]:
        """The threads that a barrier waits for: all that it joins, or those that may arrive at its name."""
        passage = self.out.barriers[wait.id]
        joined = [thread for thread in self.threads if passage.barrier.joins(thread)]
        if passage.barrier.named:
            joined = [] if passage.count is not None else [t for t in joined if arrives_at(t, passage.name)]
        return [thread.name for thread in joined]

    def _absent(self, thread: str, wait: Event) -> Guard:
        """The paths on which a barrier waits for a thread that has not arrived: of one with a name, if its way leads
        there.
        """
        barrier = self.out.barriers[wait.id].barrier
        if not barrier.named:
            forgiven = self.forgives(barrier) and not barrier.chance
            return self.halted[thread] if forgiven else self.out.guards.always
        missing = self.endless[thread] | self.trapped(thread)
        for arrival, where in self.arrivals[wait.id]:
            if arrival.thread == thread:
                missing |= arrival.guard & self.before[arrival.id] & where
        return missing

    def _too_few(self, wait: Event, others: Sequence[Guard]) -> Guard:
        """The paths on which fewer threads have arrived than the count of a barrier, the waiting thread included:

        ``others`` are where each of the others has.
        """
        passage = self.out.barriers[wait.id]
        count = passage.count
        if count is None:
            return self.out.guards.never
        if passage.phases and passage.warps:
            return self.quorums.too_few(wait, self._performed)
        never, always = self.out.guards.never, self.out.guards.always
        enough = [always] + [never] * (count - 1)  # at each position: so many have arrived
        for guard in others:
            enough = [here | (guard & enough[n - 1]) if n else here for n, here in enumerate(enough)]
        return ~enough[-1]

    def _at(self, thread: str, position: int) -> Guard:
        """The paths on which a thread is stuck before the event at a position of the list, or the last one."""
        earlier = [e for e in self.own[thread] if self.ordering.position[e.id] < position]
        return self.before[earlier[-1].id] if earlier else self.out.guards.never

    def _impossible(self) -> Iterator[tuple[Guard, Value]]:
        for _, grid, path, when in self.ordering.completions():
            stuck = path & self.grid_stuck(grid)
            if when is not None and not stuck.never:
                yield stuck, when
        if not self.possible.always:
            yield ~self.possible, values.TRUE
        yield from impossible(self.out, self.ordering, self.stops, self._made)

    def _no_order(self) -> Guard:
        """The paths on which no order of the arrivals at a barrier gives the phases that they are said to be of."""
        found = self.out.guards.never
        for group in self.quorums.groups:
            for event in group:
                found |= self.waits[event.id]
        for guard in self.quorums.impossible(self._performed):
            found |= guard
        return found
