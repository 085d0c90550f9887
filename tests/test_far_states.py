"""Violations that walks come to, before all states are found: the same verdicts, and behaviours that there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from scopec.engines.embedded.progress import fair_cycles, far_states
from scopec.engines.embedded.progress.exploring import Exploration, Graph
from scopec.engines.embedded.progress.fair_cycles import solve
from scopec.engines.embedded.progress.far_states import behind_walks
from scopec.progress.build import build
from scopec.progress.models import CUDA
from scopec.progress.reductions import Reductions
from scopec.progress.schedule import Ending
from scopec.progress.system import Readings, System
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import Overrides, plan
from tests.built_programs import assumed, built
from tests.pipelines import PIPELINES
from tests.random_progress import assuming_program, wide_program
from tests.samples import programs
from tests.test_embedded_progress import PROPERTIES, shows_a_behaviour

pytestmark = pytest.mark.usefixtures("kept_machines")

COUNT = programs(20, 300)


def at_once(system: System) -> System:
    """The system of which walks are tried before anything else."""
    return replace(system, reductions=replace(system.reductions, states=0, near=0))


def systems(seed: int, polls: bool) -> Iterator[System]:
    """Two systems of a seed: one of hosts, streams and units, one of blocks that start in some order."""
    yield build(built(wide_program(Random(30_000 + seed))), CUDA, Reductions(polls=polls))
    program, says = assuming_program(Random(40_000 + seed))
    yield build(built(program), assumed(says), Reductions(polls=polls), Readings(resident_blocks=says.places))


def test_verdicts_are_those_of_all_states(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Graph] = []

    def noted(exploration: Exploration) -> Iterator[Graph]:
        for graph in behind_walks(exploration):
            looked_at.append(graph)
            yield graph
        looked_at.clear()

    monkeypatch.setattr(fair_cycles, "behind_walks", noted)
    by_walks = 0
    for seed in range(COUNT):
        for property_ in PROPERTIES:
            for system in systems(seed, polls=property_ == "Termination"):
                looked_at.clear()
                answer = solve(at_once(system), property_)
                assert answer.holds == solve(system, property_).holds
                without = replace(system, reductions=system.reductions.without({"far_states"}))
                assert answer.holds == solve(at_once(without), property_).holds
                if looked_at:
                    by_walks += 1
                    shows_a_behaviour(system, property_, answer)
    assert by_walks > COUNT // 4


@pytest.mark.parametrize("change", ["EMPTY=1", "WAITS=0"])
def test_a_rule_that_a_ring_breaks_is_come_to(change: str, tmp_path: Path) -> None:
    pipeline = PIPELINES["two consumers"]
    path = tmp_path / "pipeline.cu"
    path.write_text(pipeline.text(pipeline.with_(change)))
    (run,) = plan(path, path.name, Overrides()).runs
    answer = solve(at_once(progress_problem(run, "Termination").system), "Termination")
    assert answer.schedule is not None
    assert answer.schedule.ending is Ending.UNDEFINED


def test_walks_end_with_the_states_that_may_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is violated they are in vain."""
    system = next(systems(0, polls=True))
    assert len(list(behind_walks(Exploration(system, "Termination")))) > 1
    monkeypatch.setattr(far_states, "_MOST_STATES", 1)
    assert len(list(behind_walks(Exploration(system, "Termination")))) == 1
