"""Races around mbarriers that one execution shows: what is found is one, and no more is taken for a race."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from scopec.memory import graph as memory_graph
from scopec.memory.events.events import EventGraph
from scopec.memory.reduce.certain_race import racing_at_mbarriers
from scopec.program.observe import Target
from scopec.session.check import Settings, check
from scopec.session.inquiry.findings import Findings
from scopec.session.inquiry.run import Run
from scopec.session.inquiry.sc_suffices import found_whole
from scopec.session.plan import Overrides, plan
from tests.random_mbarriers import random_program, text_of
from tests.samples import programs
from tests.sizes import NEVER, sizes
from tests.test_settled_phases import FENCE, PAIR, RING, checked, verdict

COUNT = programs(12, 200)

#: Mistakes in the ring, and whether one of the executions shows a race.
RINGS = {
    "none": ("", "", False),
    "no wait for empty": ("            wait(&empty[t % 2], (t / 2 & 1) ^ 1);\n", "", True),
    "a count too small": ("&empty[s], {consumers}", "&empty[s], {consumers} - 1", True),
    "no fence": ("            {fence}\n", "", True),
    "one test": (
        "while (!ptx::mbarrier_try_wait_parity(b, parity)) {{}}",
        "ptx::mbarrier_try_wait_parity(b, parity);",
        True,
    ),
    "the first parity": ("(t / 2 & 1) ^ 1", "t / 2 & 1", False),
}


def run_of(text: str, tmp_path: Path, *without: str) -> Run:
    path = tmp_path / "program.cu"
    path.write_text(text)
    (run,) = plan(path, "program.cu", Overrides(without=frozenset(without))).runs
    return run


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each graph of a call with mbarriers that are not settled whether an execution shows a race."""
    sizes(monkeypatch, events=0)
    seen: list[bool] = []

    def noted(graph: EventGraph, target: Target | None) -> EventGraph:
        result = racing_at_mbarriers(graph, target)
        seen.append(result is not graph)
        return result

    monkeypatch.setattr(memory_graph, "racing_at_mbarriers", noted)
    return seen


@pytest.mark.parametrize("name", RINGS)
@pytest.mark.sampled(4)
def test_a_ring_of_which_nothing_is_settled(name: str, tmp_path: Path, found: list[bool]) -> None:
    old, new, races = RINGS[name]
    assert old in RING
    text = RING.replace(old, new).format(tiles=3, consumers=2, fence=FENCE)
    assert run_of(text, tmp_path, "mbarriers").graph.one_race is races
    assert found == [races]


def test_the_race_is_told(tmp_path: Path, found: list[bool]) -> None:
    text = RING.replace(RINGS["no wait for empty"][0], "").format(tiles=3, consumers=2, fence=FENCE)
    assert verdict(checked(tmp_path / "ring.cu", text)) == "violated"
    assert found == [True]


def test_nothing_is_said_of_who_waits(tmp_path: Path, found: list[bool]) -> None:
    """Of other graphs with one race it is known that nobody waits in vain."""
    run = run_of(RING.replace(RINGS["no wait for empty"][0], "").format(tiles=3, consumers=2, fence=FENCE), tmp_path)
    assert run.graph.one_race
    answers = Findings({"race": None, "execution": object()}, "embedded", 0.0)  # type: ignore[dict-item]
    assert found_whole(run, run.graph, answers) is None


#: What comes before a race, and whether an execution may go on there.
BEFORE = {
    "an arrival": ("arrive(&b); ", True),
    "an arrival too many": (
        "ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &b, 3); ",
        False,
    ),
}


@pytest.mark.parametrize("name", BEFORE)
def test_what_comes_behind_what_is_undefined_is_not_executed(name: str, tmp_path: Path, found: list[bool]) -> None:
    before, races = BEFORE[name]
    text = PAIR.format(count=2, first=f"{before}x[0] = 1;", second="arrive(&b); wait(&b, 0); arrive(&c); x[0] = 2;")
    run_of(text, tmp_path, "mbarriers").graph  # noqa: B018
    assert found == [races]


def test_who_is_overtaken_when_others_run_ahead_goes_on_in_turns(tmp_path: Path, found: list[bool]) -> None:
    """Behind the second arrival no phase is over for who waits for the first; behind the first one it is."""
    text = PAIR.format(count=1, first="arrive(&b); x[0] = 1; arrive(&b);", second="wait(&b, 0); x[0] = 2;")
    assert run_of(text, tmp_path, "mbarriers").graph.one_race
    assert found == [True]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(COUNT))
def test_what_is_found_is_a_race(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With mbarriers as they are; of settled ones tests are beside these."""
    text = text_of(random_program(Random(5000 + seed)), "race_free")
    verdicts = []
    for without, events in ((frozenset({"mbarriers"}), 0), (frozenset({"racing"}), NEVER)):
        sizes(monkeypatch, events=events)
        path = tmp_path / "random.cu"
        path.write_text(text)
        (outcome,) = check([path], Settings(Overrides(without=without), engine="embedded"))
        if not outcome.reports:  # too large
            return
        verdicts.append([c.verdict for c in outcome.reports[0].checks if c.expectation.kind == "race_free"])
    assert verdicts[0] == verdicts[1], text
