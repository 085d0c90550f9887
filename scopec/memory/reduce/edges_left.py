"""The edges of a graph that still hold threads up, while its events are gone through one by one."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.memory.events.events import Event, EventGraph


class EdgesLeft:
    """The edges between threads (``asw``): how many of the events that each begins with are not passed yet."""

    def __init__(self, graph: EventGraph) -> None:
        self._ending: dict[str, list[int]] = defaultdict(list)
        self._beginning: dict[str, list[int]] = defaultdict(list)
        self._edges = graph.asw
        self._missing = [len(edge.before) for edge in graph.asw]
        for number, edge in enumerate(graph.asw):
            for name in edge.before:
                self._beginning[name].append(number)
            for name in edge.after:
                self._ending[name].append(number)

    def hold_up(self, event: Event) -> bool:
        """Whether an edge that ends at an event has others before it."""
        return any(self._missing[number] for number in self._ending[event.id])

    def before(self, event: Event) -> Iterator[str]:
        """The events with which the edges begin that hold an event up, those that are passed too."""
        for number in self._ending[event.id]:
            if self._missing[number]:
                yield from self._edges[number].before

    def passed(self, event: Event) -> None:
        """Take note that an event is executed, or on a path that is not taken."""
        for number in self._beginning[event.id]:
            self._missing[number] -= 1

    def mark(self) -> list[int]:
        """The present state, for ``back_to``."""
        return list(self._missing)

    def back_to(self, mark: list[int]) -> None:
        """Be as at a mark."""
        self._missing = mark
