"""An execution that gets stuck: what each thread is left in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.hangs.final_status import Standing
from scopec.memory.events.events import Cut, Event, Left
from scopec.memory.execution import Execution
from scopec.progress.schedule import Behind
from scopec.progress.system import System


@dataclass(frozen=True)
class StuckExecution(Execution):
    """An execution in which nothing changes any more, and how each thread of the system stands in it."""

    system: System = field(kw_only=True)
    standings: Mapping[str, Standing] = field(kw_only=True)
    timeouts: frozenset[Span] = field(kw_only=True)

    @cached_property
    def cuts(self) -> Mapping[str, Cut]:
        """For each thread that is left somewhere for ever where that is."""
        return {cut.thread: cut for cut in self.graph.cuts if cut.left is not None and cut.guard.holds(self.outcomes)}

    def period(self, thread: str) -> list[Event]:
        """The events that a thread goes through again and again."""
        cut = self.cuts.get(thread)
        if cut is None or cut.left is not Left.TURNING:
            return []
        return [e for e in self.events if e.thread == thread and e.last]

    @cached_property
    def behind(self) -> list[Behind]:
        """The threads that do not end: where each is left, and why."""
        # Start-up: few executions are stuck.
        from scopec.hangs.stuck_threads import behind

        return behind(self)

    @cached_property
    def missing_order(self) -> str | None:
        """Which order it lacks that no interleaving of the threads' steps gives."""
        from scopec.hangs.missing import missing_order

        return missing_order(self)

    def reason(self, kind: str, *, ends: bool) -> str:
        """What a verdict says of it; ``ends`` says whether every schedule of a sequentially consistent memory ends."""
        said = "an execution that the memory model allows gets stuck"
        if kind == "progresses":
            said = "an execution that the memory model allows takes no steps that count as progress from some point on"
        if ends:
            said += ", though no schedule of a sequentially consistent memory does"
        return f"{said}; {self.patience}" if self.patience else said

    @cached_property
    def patience(self) -> str | None:
        """Which waits go on for ever though they give up after so many turns, in a sentence; None if none does."""
        going = {c.span.line for c in self.cuts.values() if c.left is Left.TURNING and c.span in self.timeouts}
        if not going:
            return None
        lines = f"line{'s' * (len(going) > 1)} {', '.join(map(str, sorted(going)))}"
        return f"the wait at {lines} does not give up (timeouts = never)"
