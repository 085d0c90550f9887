"""The status of a thread in a state that never changes again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.events.paths import negated, some

if TYPE_CHECKING:
    from scopec.memory.events.guards import Guard
    from scopec.memory.events.paths import Paths


@dataclass(frozen=True, slots=True)
class FinalStatus:
    """Guards: where a thread's grid is launched, it runs or has run, it could start and does not, it ends; and so on.

    ``counted`` is where it spins with steps that count as progress, ``queries`` where it spins and is told "not
    ready"; ``may_return`` where it stays in a call that could return.  Where it is ``diverging``, or goes on ``beyond``
    the bound, it is not known to be left there.
    """

    thread: str
    launched: Guard
    started: Guard
    may_start: Guard
    ended: Guard
    spinning: Guard
    diverging: Guard
    counted: Guard
    queries: Guard
    waiting: Guard
    pending: Guard
    may_return: Guard
    stopped: Guard
    beyond: Guard

    @property
    def final(self) -> Paths:
        """The paths on which the thread is in a final condition."""
        left = (self.ended, self.spinning, self.waiting, self.pending, self.stopped)
        return some((negated(self.started), *left))

    @property
    def goes_on(self) -> Guard:
        """The paths on which it goes round for ever, as far as is known."""
        return self.spinning | self.diverging

    @property
    def silent(self) -> Guard:
        """The paths on which it goes round for ever without a step that counts as progress."""
        return self.goes_on & ~self.counted
