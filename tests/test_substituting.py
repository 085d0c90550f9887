"""Other values in the place of reads: conditions keep their order, so that guards stay small."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scopec.memory.reduce.substituting import Substituting
from scopec.session.plan import Overrides, plan

SPECS = Path(__file__).parent.parent / "specs"


def test_conditions_keep_their_order() -> None:
    """A guard is made node by node then: a decision diagram in another order may be as large as its truth table."""
    path = SPECS / "algorithms/work-stealing.cu"
    for run in plan(path, path.name, Overrides()).runs:
        backwards = replace(run.graph, events=tuple(reversed(run.graph.events)))
        made = Substituting(backwards, lambda value: value, {})
        made.graph()
        numbers = sorted({number for event in backwards.events for number in event.guard.conditions})
        assert len(numbers) > 1
        places = [made.guard(run.graph.events[0].guard.guards.literal(n, True)).branch[0] for n in numbers]
        assert places == sorted(places)
