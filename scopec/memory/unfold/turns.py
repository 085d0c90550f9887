"""The record of a turn of a wait loop in which threads meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.memory.events.events import Event
    from scopec.memory.events.guards import Guard
    from scopec.program.collective import Barrier
    from scopec.program.values import Value


@dataclass(frozen=True, slots=True)
class Round:
    """A turn of a wait loop in which a thread meets others, as :mod:`scopec.memory.unfold.rounds` looks at it.

    ``loop`` is the thread and its loop's head, ``entered`` the number of events before the loop; ``back`` are the paths
    that lead to the head again, with their ``meetings``, the events of these ``arrivals``, and the ``accesses``.  The
    phase of a meeting is None where it was not come to; ``waits`` says whether the thread waits at all of them.
    """

    loop: tuple[str, int]
    entered: int
    back: Guard
    meetings: tuple[tuple[Barrier, Value | None], ...]
    arrivals: tuple[str, ...]
    accesses: tuple[Event, ...]
    waits: bool

    @property
    def instance(self) -> tuple[str, int, int]:
        """The loop, as entered once."""
        return (*self.loop, self.entered)
