"""The context of an event graph: device attributes and a version of the document, and what follows from them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.domains.dependencies import Dependencies, dependencies
from scopec.memory.events.atomicity import atomic_events
from scopec.memory.events.events import EventGraph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.memory.domains.domains import Domains
    from scopec.memory.given.forms import Form, Members


@dataclass(frozen=True)
class Base:
    """A graph under device attributes and a version of the CUDA document (None: every atomic operation is atomic).

    ``known`` are the values that its reads may return.  With ``whole``, ``dep`` has the dependencies that are on no
    cycle too.
    """

    graph: EventGraph
    version: int | None
    given: Mapping[str, str]
    known: Domains
    whole: bool = False

    @cached_property
    def atomic(self) -> frozenset[str]:
        """The accesses that count as atomic."""
        return atomic_events(self.graph, self.version, self.given)

    @cached_property
    def real(self) -> Dependencies:
        """The dependencies that no compiler can remove."""
        return dependencies(self.graph, self.known, every=self.whole)

    @cached_property
    def sets(self) -> dict[str, tuple[Members, ...]]:
        """The forms of given sets, as :mod:`scopec.memory.given.relations` finds them."""
        return {}

    @cached_property
    def relations(self) -> dict[str, tuple[Form, ...]]:
        """The forms of given relations, in the same way."""
        return {}
