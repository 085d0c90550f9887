"""Threads that meet in wait loops, each in one of its own: how many turns of these are needed.

The lanes of

    while (!__all_sync(full, done)) if (!done && lock.exchange(1) == 0) { ...; done = true; }

are in two wait loops one after the other, since what is known of ``done`` makes two of the one: first they wait for
the lock, then for each other.  They meet in *rounds*.  A round is *idle* where each thread that comes to it goes round
a loop that waits, and is at its head again with what it had (:func:`scopec.memory.unfold.spin_loops.only_waits`).  An
idle round can be taken out of an execution as a turn of a wait loop can, whatever its reads have returned:

- nobody reads what it wrote, but the same value from the write before it, which it directly follows in coherence order;
- no value that it has read is used later: each register that matters holds what it held;
- what its acquires and fences have ordered is ordered no more.  That forbids nothing, and what is left is an execution
  of the program: the one in which the round does not come;
- all of a barrier's threads that have not exited come to the round, each once to each of its meetings, in one order.
  So every later meeting is one earlier for all of them, and nobody meets anyone else than before.

In every other round some thread goes on, and from each place it goes on once.  So a thread goes round a loop as often
as others can go on while it does, and once more in an idle round, which is needed for the races of its accesses.  Two
are needed if those of two threads in two idle rounds may race with each other (:func:`needed_twice`).

Other threads go on while one goes round where the two are possible in one execution, in one phase of a barrier; this is
looked at for each turn, and for the one that would be one too many.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass
from scopec.memory.events.events import Kind
from scopec.memory.events.scopes import inclusive
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scopec.memory.events.events import Event
    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.turns import Round
    from scopec.memory.unfold.unfolding import Unfolding
    from scopec.program.values import Value

    #: Where two phases are one.
    Same: TypeAlias = Callable[[Value, Value], Guard]

#: The most turns of a loop that are made for others who go on meanwhile: with more, phases are values too deep to fold.
MOST_TURNS = 3
#: Memory that devices alone access, so that scopes decide whether accesses are atomic.
_OF_DEVICES = frozenset({ir.Storage.DEVICE, ir.Storage.SHARED, ir.Storage.AUTOMATIC})


def turns_needed(out: Unfolding, same: Same) -> Mapping[tuple[str, int], int] | None:
    """The turns that the loops need in which threads meet; None if rounds are not what they have to be."""
    return _Rounds(out, same).needed()


@dataclass
class _Rounds:
    out: Unfolding
    same: Same

    def needed(self) -> Mapping[tuple[str, int], int] | None:
        """As :func:`turns_needed`."""
        found: dict[tuple[str, int], int] = {}
        arrivals = [event for event in self.out.events if event.kind is Kind.ARRIVE]
        within: dict[str, tuple[Round, int]] = {}
        for one in self.out.rounds:
            if not self._regular(one) or not within.keys().isdisjoint(one.arrivals):
                return None
            within |= {arrival: (one, index) for index, arrival in enumerate(one.arrivals)}
        goes_on: dict[tuple[str, int, int], set[tuple[str, object]]] = defaultdict(set)
        for one in self.out.rounds:
            for index, event in self._meetings(one, arrivals):
                both = self._both(one, index, event)
                other = within.get(event.id)
                staying = both if other is None else both & ~other[0].back
                if not staying.never:
                    goes_on[one.instance].add((event.thread, event.id if other is None else other[0].instance))
                if other is not None and not (both & other[0].back).never and not _aligned(one, index, *other):
                    return None
        twice = needed_twice(self.out)
        for one in self.out.rounds:
            turns = 1 + len(goes_on[one.instance]) + (one.loop in twice)
            found[one.loop] = max(turns, found.get(one.loop, 0))
        return found

    def _regular(self, one: Round) -> bool:
        """Whether all paths back to the head lead through each meeting of a turn, at which everybody waits."""
        guards = {event.id: event.guard for event in self.out.events if event.kind is Kind.ARRIVE}
        barriers = (barrier for barrier, _ in one.meetings)
        return (
            one.waits
            and not any(b.named or b.chance for b in barriers)
            and all((one.back & ~guards[arrival]).never for arrival in one.arrivals)
        )

    def _meetings(self, one: Round, arrivals: Sequence[Event]) -> list[tuple[int, Event]]:
        """The arrivals of other threads at the barriers of a turn."""
        return [
            (index, event)
            for index, (barrier, _) in enumerate(one.meetings)
            for event in arrivals
            if event.thread != one.loop[0] and self.out.barriers[event.id].barrier == barrier
        ]

    def _both(self, one: Round, index: int, event: Event) -> Guard:
        """The paths on which a thread goes round, and another comes to a meeting of that turn."""
        phase, both = one.meetings[index][1], one.back & event.guard
        return both if phase is None else both & self.same(self.out.barriers[event.id].phase, phase)


def needed_twice(out: Unfolding) -> frozenset[tuple[str, int]]:
    """The loops of which an access in an idle round may race with one of another thread that meets there, in another.

    In one and the same round something may order the two, or the threads may not make both.
    """
    accesses: dict[str, list[tuple[Round, Event]]] = defaultdict(list)
    for one in out.rounds:
        for access in one.accesses:
            assert access.location is not None
            accesses[access.location.object].append((one, access))
    threads = {thread.name: thread for thread in out.program.threads}
    found: set[tuple[str, int]] = set()
    for name, there in accesses.items():
        atomic = out.program.objects[name].storage in _OF_DEVICES  # for each other, if scopes say so
        for one, write in there:
            for other, access in there if write.writes else ():
                both = atomic and write.atomic and access.atomic and inclusive(write, access, threads, version=2)
                if write.thread != access.thread and not both and _meet(one, other):
                    found |= {one.loop, other.loop}
    return frozenset(found)


def _meet(one: Round, other: Round) -> bool:
    """Whether two threads meet somewhere in their turns."""
    return not {barrier for barrier, _ in one.meetings}.isdisjoint(barrier for barrier, _ in other.meetings)


def _aligned(one: Round, index: int, other: Round, its: int) -> bool:
    """Whether two turns that have a meeting have all of their meetings."""
    mine, theirs = ([barrier for barrier, _ in turn.meetings] for turn in (one, other))
    return index == its and mine == theirs
