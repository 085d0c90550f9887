"""`scopec trace --next` and `--nearest`: other executions than that of a verdict."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from scopec.explain.differences import differences, distance
from scopec.session.check import Settings, check
from scopec.session.others import others
from tests.command import scopec
from tests.random_programs import handover_program, memory_text
from tests.samples import programs
from tests.test_outcomes import listed
from tests.test_why import handover

SCHEMA = json.loads(Path("docs/execution.schema.json").read_text(encoding="utf-8"))
RACY = handover(LOAD="relaxed", ACQUIRE="if (f == 1)")


def test_the_nearest_that_has_no_race_and_the_next_that_has_one(write: Callable[..., Path]) -> None:
    path = write(RACY, "p.cu")
    near = scopec("trace", path, "--engine", "embedded", "--nearest")
    assert near.returncode == 1  # the verdict's
    assert "differs: `read x` of mp[1][0] at line 13 is not executed\n" in near.stdout
    assert "race " not in near.stdout.partition("expected here")[2]
    after = scopec("trace", path, "--engine", "embedded", "--next", "1", "--json")
    document = json.loads(after.stdout)
    jsonschema.validate(document, SCHEMA)
    assert document["same"]
    assert document["execution"]["race"] is not None
    (said,) = document["differences"]
    assert said.startswith("`read x` of mp[1][0] at line 13 returns x = ")
    none = scopec("trace", path, "--engine", "embedded", "--next", "2")
    assert (none.returncode, none.stdout) == (1, "")
    assert "the number of other executions that show the same as that of `race_free` is 1" in none.stderr


def test_where_every_execution_shows_the_same_that_is_said(write: Callable[..., Path]) -> None:
    done = scopec("trace", write(handover(LOAD="relaxed"), "p.cu"), "--engine", "embedded", "--nearest")
    assert (done.returncode, done.stdout) == (1, "")
    assert "every execution that was found shows the same as that of `race_free`" in done.stderr


def test_another_execution_is_asked_about_and_drawn(write: Callable[..., Path]) -> None:
    path = write(RACY, "p.cu")
    why = scopec("trace", path, "--engine", "embedded", "--nearest", "--why-not", "7", "11")
    assert why.returncode == 1
    assert "missing: the load at p.cu:11 does not take its value from the store at p.cu:9" in why.stdout
    assert scopec("trace", path, "--engine", "embedded", "--nearest", "--svg").stdout.startswith("<svg")
    for words, said in (
        (("--nearest", "--html"), "not --html"),
        (("--nearest", "--next", "1"), "one execution per call"),
    ):
        refused = scopec("trace", path, "--engine", "embedded", *words)
        assert refused.returncode == 2
        assert said in refused.stderr


def test_where_no_execution_is_shown_there_is_no_other(write: Callable[..., Path]) -> None:
    path = write(handover(ACQUIRE="if (f == 1)"), "p.cu")
    refused = scopec("trace", path, "--engine", "embedded", "--nearest")
    assert refused.returncode == 2
    assert "`race_free` has none" in refused.stderr


@pytest.mark.parametrize("seed", range(programs(3, 30)))
@pytest.mark.sampled(2)
def test_nearest_are_those_with_fewest_differences(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "p.cu"
    path.write_text(memory_text(handover_program(random.Random(f"others {seed}")), "//@ expect race_free;\n"))
    (outcome,) = check([path], Settings(engine="embedded"))
    (report,) = outcome.reports
    (found,) = report.checks
    if found.verdict != "violated":
        return
    there = others(report.run, found, Settings(engine="embedded"))
    every = [e for state in listed(path).states for e in state.every]
    assert all(e.race for e in there.same)
    assert not any(e.race for e in there.different)
    assert len(there.different) == sum(not e.race for e in every)
    assert len(there.same) + sum(distance(there.first, e) == 0 for e in every) == sum(bool(e.race) for e in every)
    for group in (there.same, there.different):
        far = [distance(there.first, e) for e in group]
        assert far == sorted(far)
        assert 0 not in far


def test_an_execution_does_not_differ_from_itself(write: Callable[..., Path]) -> None:
    every = [e for state in listed(write(handover(), "p.cu")).states for e in state.every]
    for n, one in enumerate(every):
        for m, other in enumerate(every):
            assert (list(differences(one, other)) == []) == (n == m)
