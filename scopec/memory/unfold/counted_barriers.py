"""Barriers with a count at which more threads arrive than it says: the phase of an arrival is a choice.

"Operand b specifies the number of threads participating in the barrier. [...] When a barrier completes, the waiting
threads are restarted without delay, and the barrier is reinitialized so that it can be immediately reused" (PTX ISA,
"bar"): the first arrivals, so many, are a phase, the next ones another.  Each arrival there has a choice, the number of
its phase.  What no order of the arrivals gives is left out (:meth:`Quorums.impossible`), so every order is explored.

A warp that has arrived and comes again before that phase is over counts again, as hardware counts; a thread of a litmus
file has gone on to the next phase.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass, replace
from scopec.memory.events.events import Event, Kind
from scopec.program import arrival_order, types, values
from scopec.program.arrival_order import Arrival
from scopec.program.collective import same_name, warp_of
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.unfolding import Unfolding
    from scopec.program.collective import Passage

_MOST_PLACES = 48


@dataclass(frozen=True)
class Quorums:
    """The arrivals at barriers whose phases are open, those that may be at one barrier together, in program order."""

    out: Unfolding
    groups: tuple[tuple[Event, ...], ...]

    def early(self, performed: Callable[[Event], Guard]) -> Iterator[tuple[str, Guard]]:
        """For each arrival where it comes too early for its phase: one before is not over, and not for its own sake.

        An arrival is of the first phase that is not over, or, where its thread has arrived there and gone on, of the
        next; a warp's is of the first.
        """
        for group in self.groups:
            for event in group:
                late = self.out.guards.never
                for phase in self.phases(event):
                    for before in range(phase):
                        gone = () if self.again(event) else self.earlier(event, group)
                        own = self.any(self.at(other, before, event) for other in gone)
                        full = self.at_least(self.count(event), before, event, group, performed)
                        late |= self.at(event, phase, event) & ~own & ~full
                yield event.id, late

    def impossible(self, performed: Callable[[Event], Guard]) -> Iterator[Guard]:
        """Combinations that no order of the arrivals gives, beside those that come too early.

        A phase has no more arrivals than its count, a thread's arrivals are of one phase after the other, or, a warp's,
        of one phase, and what does not happen has no choice: it is of its earliest phase.
        """
        for group in self.groups:
            for event in group:
                here = performed(event)
                for phase in self.phases(event):
                    crowd = self.at_least(self.count(event), phase, event, group, performed)
                    yield here & self.at(event, phase, event) & crowd
                    for other in self.earlier(event, group):
                        after = range(phase + self.again(event), self.phases(other).stop)
                        later = self.any(self.at(other, p, event) for p in after)
                        yield here & other.guard & self.at(event, phase, event) & later
                    if phase > self.out.barriers[event.id].earliest:
                        yield ~here & self.at(event, phase, event)

    def too_few(self, wait: Event, performed: Callable[[Event], Guard]) -> Guard:
        """The paths on which fewer arrivals are of the phase that is waited for than end it."""
        passage, found = self.out.barriers[wait.id], self.out.guards.never
        for group in self.groups:
            for event in group:
                if self.out.barriers[event.id] is passage:  # the arrival behind which the thread waits
                    for phase in self.phases(event):
                        full = self.at_least(self.count(event) - 1, phase, event, group, performed)
                        found |= self.at(event, phase, event) & ~full
        return found

    def again(self, event: Event) -> bool:
        """Whether who comes again before a phase is over counts again."""
        return self.out.barriers[event.id].warps

    def count(self, event: Event) -> int:
        """The number of arrivals that end a phase."""
        count = self.out.barriers[event.id].count
        assert count is not None
        return count

    def phases(self, event: Event) -> range:
        """The phases that an arrival may be of."""
        passage = self.out.barriers[event.id]
        return range(passage.earliest, passage.phases)

    def earlier(self, event: Event, group: Iterable[Event]) -> list[Event]:
        """The arrivals of the same thread before one."""
        own = [other for other in group if other.thread == event.thread]
        return own[: own.index(event)]

    def at(self, event: Event, phase: int, of: Event) -> Guard:
        """The paths on which two arrivals are of one phase of the barrier."""
        here, there = self.out.barriers[event.id], self.out.barriers[of.id]
        if phase >= here.phases:
            return self.out.guards.never
        return self.out.literal(values.binary("&&", same_name(here.name, there.name), here.is_of(phase)))

    def at_least(
        self, number: int, phase: int, of: Event, group: Iterable[Event], performed: Callable[[Event], Guard]
    ) -> Guard:
        """The paths on which so many other arrivals are of the phase of one."""
        never, always = self.out.guards.never, self.out.guards.always
        enough = [always] + [never] * number  # at each position: so many
        for other in group:
            if other is not of:
                here = performed(other) & self.at(other, phase, of)
                enough = [was | (here & enough[n - 1]) if n else was for n, was in enumerate(enough)]
        return enough[-1]

    def any(self, guards: Iterable[Guard]) -> Guard:
        """The paths on which one of some guards holds."""
        found = self.out.guards.never
        for guard in guards:
            found |= guard
        return found


def open_phases(out: Unfolding) -> Quorums:
    """Give each arrival at a barrier at which more threads come than its count says the choice of its phase.

    Elsewhere a thread's k-th arrival is of phase k.  Raises InputError where arrivals at one barrier give it different
    counts (PTX ISA, "bar": "using the same barrier name and thread count"), and where there are too many ways.
    """
    arrivals = [
        e for e in out.events
        if e.kind is Kind.ARRIVE and out.barriers[e.id].barrier.named and not e.guard.never
    ]  # fmt: skip
    units = {t.name: warp_of(t) for t in out.program.threads}
    found = []
    together = _together(out, arrivals)
    for group in together:
        first = out.barriers[group[0].id]
        for event in group[1:]:
            if out.barriers[event.id].count != first.count:
                message = "threads that may meet at a barrier give it different counts"
                raise error(Code.OUTSIDE_SUBSET, message, event.span, "write the same count everywhere")
        if first.count is None:
            continue
        come = {units[e.thread] if out.barriers[e.id].warps else e.thread for e in group}
        if len(come) > first.count or _comes_again(out, group):
            if any(out.barriers[event.id].brought is not None for event in group):
                message = f"more threads come to a vote than the {first.count} that its barrier is for"
                raise error(Code.OUTSIDE_SUBSET, message, group[0].span, "let as many vote as it is for")
            found.append(group)
    bounds = _bounds(out, together) if found and out.reductions.phases else {}
    for group in found:
        _choose(out, group, bounds)
    return Quorums(out, tuple(tuple(group) for group in found if out.barriers[group[0].id].phases))


def _bounds(out: Unfolding, groups: Iterable[list[Event]]) -> Mapping[Hashable, range]:
    """The phases that arrivals of warps may be of at barriers whose names are known."""
    waits = {id(out.barriers[e.id]): e for e in out.events if e.kind is Kind.WAIT and e.id in out.barriers}
    threads: dict[str, list[Arrival]] = {}
    at: dict[str, tuple[int, int]] = {}
    for number, group in enumerate(groups):
        passages = [out.barriers[event.id] for event in group]
        alike = all(same_name(p.name, passages[0].name) == values.TRUE for p in passages)
        if alike and all(p.warps and p.count for p in passages):
            at |= {event.id: (number, p.count or 0) for event, p in zip(group, passages, strict=True)}
    for place, event in ((n, e) for n, e in enumerate(out.events) if e.id in at):
        barrier, count = at[event.id]
        wait = waits.get(id(out.barriers[event.id]))
        care = _going_on(out, event.thread, place)
        sure = care.implies(event.guard) and (wait is None or care.implies(wait.guard))
        arrival = Arrival(event.id, barrier, count, waits=wait is not None, sure=sure)
        threads.setdefault(event.thread, []).append(arrival)
    return arrival_order.phases([*threads.values()])


def _going_on(out: Unfolding, thread: str, position: int) -> Guard:
    """The paths on which a thread has waited for ever nowhere before a place, and broken no rule: else it does no more.

    Not so a wait behind the place: what it waits for may have decided before whether the thread comes to the place.
    """
    found = out.guards.always
    for cut in out.cuts:
        if cut.wait and cut.thread == thread and cut.position <= position:
            found &= ~cut.guard
    return found


def _comes_again(out: Unfolding, group: list[Event]) -> bool:
    """Whether a warp may come again to a barrier before the phase is over at which it has arrived and not waited."""
    waiting = {id(out.barriers[e.id]) for e in out.events if e.kind is Kind.WAIT}
    gone = set[str]()
    for event in group:
        if event.thread in gone:
            return True
        if out.barriers[event.id].warps and id(out.barriers[event.id]) not in waiting:
            gone.add(event.thread)
    return False


def _together(out: Unfolding, arrivals: Iterable[Event]) -> list[list[Event]]:
    """Arrivals that may be at one barrier, in groups."""
    groups: list[list[Event]] = []
    for event in arrivals:
        here = out.barriers[event.id]
        meets = [
            group
            for group in groups
            if any(
                here.barrier == out.barriers[e.id].barrier
                and same_name(here.name, out.barriers[e.id].name) != values.FALSE
                for e in group
            )
        ]
        groups = [group for group in groups if group not in meets]
        groups.append([*(e for group in meets for e in group), event])
    position = {event.id: number for number, event in enumerate(out.events)}
    return [sorted(group, key=lambda e: position[e.id]) for group in groups]


def _choose(out: Unfolding, group: list[Event], bounds: Mapping[Hashable, range]) -> None:
    settled = {(event.thread, bounds[event.id].start) for event in group if len(bounds.get(event.id, ())) == 1}
    if len(settled) == len(group):  # and nobody comes twice in one phase, so that threads are counted as elsewhere
        for event in group:
            _put(out, event, replace(out.barriers[event.id], phase=Const(bounds[event.id].start, types.INT)))
        return
    arrivals = Counter(event.thread for event in group)
    earlier: Counter[str] = Counter()
    places = 0
    for place, event in enumerate(group):
        passage = out.barriers[event.id]
        assert passage.count is not None
        # before it at most the phases that the other threads can end, and those of its own thread's arrivals
        others = len(group) - arrivals[event.thread]
        if passage.warps:
            number = (others + earlier[event.thread]) // passage.count + 1
        else:
            number = others // passage.count + earlier[event.thread] + 1
        open_ = bounds.get(event.id, range(number))
        earlier[event.thread] += 1
        if passage.count == 1:
            chosen = replace(passage, phase=Const(place, types.INT))  # each arrival is a phase by itself
        elif len(open_) == 1:
            chosen = replace(passage, phase=Const(open_.start, types.INT), phases=open_.stop, earliest=open_.start)
        else:
            choice = out.choose(event.id, "phase", types.INT, open_)
            chosen = replace(passage, phase=choice, phases=open_.stop, earliest=open_.start)
        places += len(open_)
        _put(out, event, chosen)
    if places > _MOST_PLACES:
        message = f"{len(group)} arrivals at a barrier whose phases have {passage.count}: too many ways to group them"
        raise error(Code.TOO_LARGE, message, group[0].span, "use fewer threads, a smaller loop bound, or more barriers")


def _put(out: Unfolding, event: Event, chosen: Passage) -> None:
    """Give an arrival, and the wait behind it, another passage."""
    passage = out.barriers[event.id]
    for name, other in out.barriers.items():
        if other is passage:
            out.barriers[name] = chosen
