"""mbarriers, bulk copies and the asynchronous proxy, against a simulator that was written from the documents alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

from scopec.base.diagnostics import Code
from scopec.session.check import Settings, check
from tests.oracles.asynchronous.check import Result
from tests.random_mbarriers import Parts, random_program, simulated, text_of, with_results
from tests.samples import programs

COUNT = programs(4, 300)


@cache
def case(seed: int) -> tuple[Parts, dict[str, Result]]:
    """A program, and what the simulator finds."""
    return with_results(Random(seed), random_program, simulated)


def verdicts(text: str, tmp_path: Path) -> dict[str, dict[str, str]]:
    """By model and expectation the verdict, none where scopec says that the program is too large; `valid` is that nothing
    undefined but a race happens."""
    path = tmp_path / "random.cu"
    path.write_text(text)
    (outcome,) = check([path], Settings(engine="embedded"))
    errors = [d for d in outcome.diagnostics if d.severity == "error"]
    assert all(d.code is Code.TOO_LARGE for d in errors), (text, errors)
    if errors:
        return {}
    return {
        "ptx" if report.run.model.name == "ptx" else "cuda": {
            "valid" if c.expectation.implicit else c.expectation.kind: c.verdict for c in report.checks
        }
        for report in outcome.reports
    }


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(COUNT))
def test_races_and_broken_rules(seed: int, tmp_path: Path) -> None:
    """A broken rule ends a run of the simulator: what else such a program does is not compared. It is undefined, or a race."""
    parts, found = case(seed)
    text = text_of(parts, "race_free under cuda, ptx")
    for model, given in verdicts(text, tmp_path).items():
        words = found[model].words()
        if "error" in words:
            assert "violated" in given.values(), (text, model, words, given)
        else:
            assert given["race_free"] == ("holds" if "race_free" in words else "violated"), (text, model, words, given)
            assert given["valid"] == "holds" or given["race_free"] == "violated", (text, model, words, given)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(COUNT))
def test_hangs(seed: int, tmp_path: Path) -> None:
    """A program with a race promises nothing: it may not be said to end where it hangs."""
    parts, found = case(seed)
    words = found["cuda"].words()
    if "error" not in words:
        text = text_of(parts, "terminates")
        given = verdicts(text, tmp_path)
        allowed = {"holds"} if "terminates" in words else {"violated"}
        assert not given or given["cuda"]["terminates"] in allowed | ({"violated"} if "race" in words else set()), (
            text,
            words,
        )
