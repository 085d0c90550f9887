"""The phases that arrivals at barriers with a count may be of, by what has to come before each.

An arrival ``x`` has to come before an arrival ``e`` if ``e`` cannot happen where the thread of ``x`` stops before it.
What can happen then is overestimated: a wait for phase ``p`` is passed as soon as ``p + 1`` times the count of arrivals
can have come to its barrier.  So the phase of ``e`` is at least how many times the count has to come before it, and at
most how many times it can.  Bounds that have grown make more waits impassable, so this is repeated until none grows.

Three warps that hand each other barriers of count 2::

    w0: arrive A; sync B        w1: sync A; arrive C        w2: sync C; arrive B; arrive A

``w2`` arrives at A in its second phase: not before it has passed C, nor that before ``w1`` has passed A.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Arrival:
    """An arrival at a barrier, ``count`` of which (1 or more) end a phase; who ``waits`` waits there for that end.

    It is ``sure`` if its thread comes to it in every execution, unless it has to wait for ever before.
    """

    name: Hashable
    barrier: Hashable
    count: int
    waits: bool
    sure: bool = True


def phases(threads: Sequence[Sequence[Arrival]]) -> dict[Hashable, range]:
    """The phases, from 0 on, that each arrival may be of, by its name.

    ``threads`` are the arrivals of each thread in program order, at each barrier all that there are, each counted,
    whoever's it is, in the phase in which it comes.
    """
    arrivals = [(number, place, here) for number, own in enumerate(threads) for place, here in enumerate(own)]
    low = {here.name: 0 for _, _, here in arrivals}
    while True:
        before = _before(threads, low)
        grown = {
            here.name: max(low[here.name], sum(x.barrier == here.barrier for x in before[here.name]) // here.count)
            for _, _, here in arrivals
        }
        if grown == low:
            break
        low = grown
    found = {}
    for number, place, here in arrivals:
        earlier = sum(
            other.barrier == here.barrier and (thread != number or at < place) and here not in before[other.name]
            for thread, at, other in arrivals
        )
        found[here.name] = range(low[here.name], max(low[here.name], earlier // here.count) + 1)
    return found


def _before(threads: Sequence[Sequence[Arrival]], low: Mapping[Hashable, int]) -> dict[Hashable, set[Arrival]]:
    """For each arrival those that have to come before it, where phases are at least ``low``."""
    found: dict[Hashable, set[Arrival]] = {here.name: set() for own in threads for here in own}
    for own in threads:
        for stopped in own:
            if stopped.sure:
                for name in found.keys() - _reached(threads, low, stopped) - {stopped.name}:
                    found[name].add(stopped)
    return found


def _reached(threads: Sequence[Sequence[Arrival]], low: Mapping[Hashable, int], stopped: Arrival) -> set[Hashable]:
    """All that can happen where a thread stops before one of its arrivals."""
    come: dict[Hashable, int] = defaultdict(int)
    reached: set[Hashable] = set()
    at = [0] * len(threads)
    moved = True
    while moved:
        moved = False
        for number, own in enumerate(threads):
            while at[number] < len(own):
                here = own[at[number]]
                if here is stopped or (at[number] and not _passed(own[at[number] - 1], low, come)):
                    break
                come[here.barrier] += 1
                reached.add(here.name)
                at[number] += 1
                moved = True
    return reached


def _passed(last: Arrival, low: Mapping[Hashable, int], come: Mapping[Hashable, int]) -> bool:
    """Whether a thread may have gone on behind an arrival, when so many have come to each barrier."""
    return not last.waits or not last.sure or come[last.barrier] >= (low[last.name] + 1) * last.count
