"""Pipelines of producers and consumers, right and with one mistake each, as both the simulator and scopec see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.session.check import Settings, check
from tests.oracles.asynchronous import program as p
from tests.oracles.asynchronous.check import check as simulate
from tests.pipelines import PIPELINES

#: What is not decided: whether a read-modify-write of an mbarrier depends on a load.
UNDECIDED = {("a load ahead", "FENCES=0")}
CASES = [(name, change) for name, pipeline in PIPELINES.items() for change in ("", *pipeline.broken)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "change"), CASES)
def test_the_simulator(name: str, change: str) -> None:
    pipeline = PIPELINES[name]
    found = simulate(pipeline.program(pipeline.with_(change)), p.Options(tries=False))
    wrong = pipeline.broken[change] if change else ""
    assert bool(found.errors) == ("undefined" in wrong)
    if not found.errors:
        words = {"race": bool(found.races), "hang": found.progress != "terminates"}
        assert words == {word: word in wrong for word in words}


@pytest.mark.sampled(0)
@pytest.mark.parametrize(("name", "change"), CASES)
def test_scopec(name: str, change: str, tmp_path: Path) -> None:
    pipeline = PIPELINES[name]
    path = tmp_path / "pipeline.cu"
    path.write_text(pipeline.text(pipeline.with_(change)))
    (outcome,) = check([path], Settings(engine="embedded"))
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    (report,) = outcome.reports
    found = {"valid" if c.expectation.implicit else c.expectation.kind: c.verdict for c in report.checks}
    found.setdefault("valid", "holds")  # where no rule can be broken none is asked about
    wrong = pipeline.broken[change] if change else ""
    if wrong == "undefined":  # or a race: arrivals too early
        assert "violated" in (found["race_free"], found["valid"])
    else:
        assert found["race_free"] == ("violated" if "race" in wrong else "holds")
        assert found["terminates"] == ("violated" if "hang" in wrong else "holds") or wrong == "race"
        assert found["valid"] == "holds" or "race" in wrong
