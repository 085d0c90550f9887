"""A variant with its event graph, made when it is first needed."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.memory.domains.domains import Domains, domains
from scopec.memory.events.base import Base
from scopec.memory.events.events import EventGraph
from scopec.program.expectations import Expectation
from scopec.program.observe import Target
from scopec.session.inquiry import graphs
from scopec.session.inquiry.variant import Variant

if TYPE_CHECKING:
    from typing import Self

    from scopec.base.passes import Passed
    from scopec.progress.models import Model, Property
    from scopec.progress.system import System

#: What is found out of a variant and has nothing to do with its progress model.
_OF_ANY_PROGRESS = ("packed", "graph", "passed", "known", "base")
#: The bytes of the widest access that PTX does not make of several.
_WIDEST_SCALAR = 8


class Unfolded(Variant):
    """A variant, and what is found out of its graph."""

    @cached_property
    def graph(self) -> EventGraph:
        """The event graph, with the registers that expectations observe."""
        self.passed.clear()
        return graphs.event_graph(self, self.passed)

    @cached_property
    def passed(self) -> list[Passed]:
        """The log of the passes that made the event graph; empty where it is not made."""
        return []

    @cached_property
    def searched(self) -> dict[Property, tuple[int, list[Passed]]]:
        """The last search for hangs of each property that was made: its turns, and the passes' log."""
        return {}

    def under(self, progress: Model) -> Self:
        """The same under another progress model, with the event graph, if it is made: of a kernel of whole warps it
        takes most of the time."""
        there = replace(self, progress=progress)
        vars(there).update((name, known) for name, known in vars(self).items() if name in _OF_ANY_PROGRESS)
        return there

    @property
    def memory_checks(self) -> tuple[Expectation, ...]:
        """The checks that the memory model answers; implicit ones only where something may fail."""
        may_fail = any(c.implicit for c in self.checks) and bool(self.graph.faults)
        return tuple(c for c in self.of_the_model if may_fail or not c.implicit)

    @cached_property
    def torn(self) -> tuple[Target, ...]:
        """Objects of 16 bytes that threads access plainly, where compilers make two accesses of one (``ld.v2.u64``)."""
        if not self.is_ptx or self.settings.given["vector"] == "whole":
            return ()
        plain = {e.location.object for e in self.graph.events if e.thread and e.location and not e.atomic}
        objects = self.program.objects
        wide = sorted(name for name in plain & objects.keys() if objects[name].size > _WIDEST_SCALAR)
        return tuple(Target(name, ((name, None),)) for name in wide)

    @cached_property
    def known(self) -> Domains:
        """The values that reads of the event graph may return."""
        return domains(self.graph)

    @cached_property
    def base(self) -> Base:
        """The event graph with its context."""
        return Base(self.graph, self.model.version, self.settings.given, self.known, self.model.own)

    @cached_property
    def whole(self) -> str | None:
        """The reason why all executions that matter are sequentially consistent, if the text shows it."""
        # Start-up: many runs are not asked about hangs.
        from scopec.session.inquiry.sc_suffices import known_whole

        return known_whole(self)

    @cached_property
    def hardware_system(self) -> System:
        """The labelled steps on the example hardware, with every access to memory and every fence a step."""
        return graphs.hardware_steps(self)
