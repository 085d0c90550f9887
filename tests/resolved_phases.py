"""A fixture that tells whether the graphs of a call had their mbarriers resolved."""

from __future__ import annotations

import pytest

from scopec.memory import graph as memory_graph
from scopec.memory.events.events import EventGraph
from scopec.memory.reduce.resolve_phases import resolve_phases
from scopec.memory.unfold.unfolding import Unfolding
from tests.sizes import sizes


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each graph of a call whether its mbarriers were resolved, however small it is."""
    found: list[bool] = []

    def noted(graph: EventGraph, out: Unfolding) -> EventGraph:
        result = resolve_phases(graph, out)
        found.append(result is not graph)
        return result

    monkeypatch.setattr(memory_graph, "resolve_phases", noted)
    sizes(monkeypatch, events=0)
    return found
