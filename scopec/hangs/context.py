"""The context in which a thread is executed: where it may be left for ever, and what threads leave to others."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import ir
from scopec.progress.counting import counts
from scopec.progress.system import may_pend

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.hangs.slicing import Slice
    from scopec.program.observe import Location
    from scopec.progress.system import System


@dataclass
class Context:
    """A system, its slice, and what its threads leave behind for later.

    ``stops`` says whether nothing is promised to anyone, so that each thread may stop anywhere; ``timeouts`` are waits
    that a clock bounds.  ``notifications`` and ``sleeping`` are the events of the `notify` and `wait` of atomics;
    ``queries`` those of queries that are made again and again.
    """

    system: System
    slice: Slice
    stops: bool = False
    timeouts: set[Span] = field(default_factory=set)
    notifications: list[tuple[str, Location, bool]] = field(default_factory=list)
    sleeping: list[tuple[str, Location, str]] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)

    def fresh(self, *, stops: bool | None = None) -> Context:
        """The same, before any thread has been executed."""
        return Context(self.system, self.slice, self.stops if stops is None else stops)

    @cached_property
    def taking_part(self) -> frozenset[str]:
        """The threads that the progress model is about."""
        return frozenset(thread.name for thread in self.system.everyone)

    def counts(self, thread: ir.Thread, operation: ir.Operation) -> bool:
        """Whether an operation of a thread counts for [intro.progress.1]."""
        return counts(operation, self.system.program, thread.is_host)

    def may_stop(self, thread: ir.Thread) -> bool:
        """Whether a thread that has started may be owed no further step."""
        if thread.name not in self.taking_part:
            return False
        if self.stops or not self.system.model.keeps_started:
            return True
        return thread.work is ir.Work.COPY or not self.system.readings.host_progress

    def may_pend(self, thread: ir.Thread, operation: ir.Operation) -> bool:
        """Whether a thread may stay in a call although it could return."""
        return (
            bool(self.system.threads)
            and any(thread.name == host.name for host in self.system.hosts)
            and may_pend(operation, self.system.readings)
        )
