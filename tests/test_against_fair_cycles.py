"""TLC's verdicts on random programs are those of an explicit-state fair-cycle search written from the documents alone.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from scopec.check import Jars
from scopec.plan import Overrides, plan
from scopec.tla import run as tla_run
from scopec.workers import Workers
from tests.oracles import fair_cycles
from tests.random_programs import progress_program, progress_text

pytestmark = pytest.mark.jvm
COUNT = int(os.environ.get("SCOPEC_RANDOM_PROGRAMS", "24"))


@pytest.mark.parametrize("seed", range(COUNT))
def test_hangs_and_stalls(seed: int, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    program = progress_program(random.Random(seed))
    path = tmp_path / "program.cu"
    path.write_text(progress_text(program))
    (run,) = plan(path, "program.cu", Overrides()).runs
    found = []
    for property_ in ("Termination", "Progress"):
        system, module = run.module(property_)  # type: ignore[arg-type]
        (tmp_path / f"{module.name}.tla").write_text(module.tla)
        (tmp_path / f"{module.name}.cfg").write_text(module.cfg)
        answer = tla_run.run(jars.tlc, module.name, workers, tmp_path, 120)
        assert answer.result is not None
        tla_run.counterexample(answer.result, system, module)
        found.append(answer.result.outcome != "holds")
    assert found == [fair_cycles.hangs(program), fair_cycles.stalls(program)], path.read_text()
