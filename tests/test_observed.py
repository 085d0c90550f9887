"""Final states that an H200 showed: each is one that scopec allows.

The tests, and how they were run, are in tests/gpu: each 197 million times, compiled with CUDA 13's ``nvcc -O3``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scopec.session.check import Settings
from scopec.session.final_states import listings
from scopec.session.plan import Overrides
from tests.samples import EVERY, spread

RECORDS = {
    record["file"]: record
    for record in json.loads((Path(__file__).parent / "fixtures" / "h200.json").read_text(encoding="utf-8"))
}


def outside(record: dict[str, Any], directives: str, tmp_path: Path) -> dict[str, int]:
    """The states that were seen and are not allowed, with how often."""
    path = tmp_path / record["file"]
    litmus = path.suffix == ".litmus"
    text = record["text"].replace("exists true", directives + "exists true") if litmus else record["text"] + directives
    path.write_text(text)
    settings = Settings(engine="embedded", overrides=Overrides(model="ptx") if litmus else Overrides())
    (found,), _ = listings(path, settings, 100_000)
    assert not found.unfinished
    states = [dict(state.values) for state in found.states]
    allowed = {",".join(str(state.get(name, 0)) for name in record["observables"]) for state in states}
    return {state: int(count) for state, count in record["seen"].items() if state not in allowed}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("file", RECORDS)
def test_what_a_gpu_showed_is_allowed(file: str, tmp_path: Path) -> None:
    assert outside(RECORDS[file], "", tmp_path) == {}, RECORDS[file]["text"]


def test_the_gpu_keeps_less_than_program_order(tmp_path: Path) -> None:
    """Under RC11's axiom, the load buffering that it showed would be outside, and only that."""
    asked = {file: RECORDS[file] for file in spread(list(RECORDS), len(RECORDS) if EVERY else 12)}
    loads = [file for file in RECORDS if file.startswith("LB")]
    asked |= {file: RECORDS[file] for file in spread(loads, len(loads) if EVERY else 12)}
    broken = [file for file, record in asked.items() if outside(record, "//@ options thin_air = rc11;\n", tmp_path)]
    assert broken
    assert {file.partition("_")[0].partition("-")[0] for file in broken} == {"LB"}
