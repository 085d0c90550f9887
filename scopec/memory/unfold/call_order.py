"""The order in which host threads make their calls: what the program fixes, and what is open at run time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scopec.memory.events.events import Synchronises
from scopec.program import ir, values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.unfolding import Unfolding


class CallOrder:
    """The order of calls.

    Calls of different threads that no creation or join orders are made one after the other in either order: a choice
    of each execution, where somebody asks.
    """

    def __init__(self, out: Unfolding) -> None:
        self.out = out
        self.position = {event.id: i for i, event in enumerate(out.events)}
        self.event = {event.id: event for event in out.events}
        self._open: dict[tuple[str, str], Guard] = {}

    @cached_property
    def _after(self) -> dict[str, set[str]]:
        """For each call the calls that come after it: later in its thread, or in threads created or joined between."""
        calls = sorted(self.out.calls, key=self.position.__getitem__)
        direct: dict[str, set[str]] = {
            a: {
                b for b in calls if self.event[a].thread == self.event[b].thread and self.position[a] < self.position[b]
            }
            for a in calls
        }
        for thread, creation in self.out.creations.items():
            direct[creation] |= {c for c in calls if self.event[c].thread == thread}
        for join, operation in self.out.calls.items():
            if isinstance(operation, ir.JoinThread):
                for call in calls:
                    if self.event[call].thread == operation.thread:
                        direct[call].add(join)
        for middle in calls:
            for after in direct.values():
                if middle in after:
                    after |= direct[middle]
        return direct

    def precedes(self, first: str, second: str) -> bool:
        """Whether a call comes before another in every execution that has both."""
        return second in self._after[first]

    def before(self, first: str, second: str) -> Guard:
        """The paths on which a call comes before another."""
        guards = self.out.guards
        if self.precedes(first, second):
            return guards.always
        together = not self.event[first].guard.excludes(self.event[second].guard)
        if first == second or self.precedes(second, first) or not together:
            return guards.never
        if self.position[second] < self.position[first]:
            return ~self.before(second, first)
        if (first, second) not in self._open:
            self._open[first, second] = guards.literal(self._condition(first, second), True)
        return self._open[first, second]

    def _condition(self, first: str, second: str) -> int:
        """The number of the condition that one call comes before another."""
        choice = self.out.choose(first, f"before_{second}")
        return self.out.condition(choice)[0]

    def chosen(self) -> Iterator[Synchronises]:
        """The pairs of calls whose order is open, one way where it is chosen so, and the other way elsewhere."""
        for (first, second), guard in self._open.items():
            why = f"{self.event[first].text} before {self.event[second].text}"
            value = guard.value(self.out.conditions)
            yield Synchronises((first,), (second,), why, value)
            yield Synchronises((second,), (first,), f"not {why}", values.unary("!", value))
