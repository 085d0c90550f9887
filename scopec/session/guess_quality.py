"""The quality of a guess: what is wrong with what it asks, and whether it asks anything."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.graph import reduced
from scopec.memory.reduce.certain_race import racing_pair
from scopec.memory.reduce.one_execution import executions
from scopec.program.mbarriers import RULES
from scopec.session.inquiry.graphs import asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scopec.memory.events.events import Event, EventGraph
    from scopec.session.inquiry.run import Run

#: The most threads of which all accesses are looked at.
_FEW = 9
#: The reductions without which a graph has every access.
_LEAVING_OUT = ("settled", "condensed", "racing")


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality of a guess: the number of places that may have undefined behaviour.

    ``race`` are two accesses of which one execution is known to have a race, ``meet`` is whether two threads come to
    one element, which one of them writes, ``cut`` whether some loop may go on beyond the bound.
    """

    faults: int
    race: tuple[Event, Event] | None
    meet: bool
    cut: bool

    @property
    def flaws(self) -> tuple[int, bool]:
        """The flaws by which guesses are compared: the kernel may be one for blocks of another size, say."""
        return self.faults, self.race is not None

    @property
    def idle(self) -> bool:
        """Whether nothing is wrong as no two threads come near each other."""
        return not any(self.flaws) and not self.meet


#: Threads meet, and nothing is wrong.
CLEAN = Quality(0, None, meet=True, cut=False)


def quality_of(run: Run) -> Quality:
    """The quality of what is asked of a guess."""
    graph = run.graph
    faults = len({fault.span for fault in graph.faults if fault.text not in RULES.values()})
    race = racing_pair(graph) if graph.one_race or not faults else None
    cut = any(not one.wait for one in graph.cuts)
    return Quality(faults, race, race is not None or _meets(run), cut)


def _meets(run: Run) -> bool:
    """Whether two threads come to one element, as far as that is soon found out: else they are taken to."""
    graph = run.graph
    if graph.settled:
        if len(graph.program.threads) > _FEW:
            return True
        graph = with_all_accesses(run)
    return _meet(accesses(graph)) and _meet_sequentially(graph)


def with_all_accesses(run: Run) -> EventGraph:
    """The events of what is asked, none of its accesses left out."""
    return reduced(run.packed, replace(asked(run), reductions=run.reductions.without(_LEAVING_OUT)))


def _meet(events: Iterable[Event]) -> bool:
    """Whether two threads come to one element, which one of them writes."""
    accesses: dict[object, list[Event]] = defaultdict(list)
    for event in events:
        accesses[event.location].append(event)
    return any(any(e.writes for e in those) and len({e.thread for e in those}) > 1 for those in accesses.values())


def _meet_sequentially(graph: EventGraph) -> bool:
    """The same in the execution that runs one thread after the other; true where that has no end."""
    run = next(executions(graph), None)
    return run is None or not run.whole or _meet(e for e in run.events if e.location is not None and e.thread)


def accesses(graph: EventGraph) -> Iterator[Event]:
    """The accesses of threads that some execution may have."""
    return (e for e in graph.events if e.location is not None and e.thread and not e.guard.never)
