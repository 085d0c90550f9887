"""Verdicts under one progress model bind those under another.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.engines.tla import run as tla_run
from scopec.engines.tla.emit import emit
from scopec.progress.build import build
from scopec.progress.models import MODELS
from scopec.progress.reductions import Reductions
from tests.built_programs import built
from tests.oracles import fair_programs
from tests.random_progress import polling_program
from tests.samples import programs

pytestmark = pytest.mark.jvm
COUNT = programs(4, 9)


def terminates(program: fair_programs.Program, model: str, jars: Jars, workers: Workers, folder: Path) -> bool:
    system = build(built(program), MODELS[model], Reductions(polls=model == "cuda"))
    module = emit(system, f"m_{model}".replace("-", "_"), ("a random program",), "Termination")
    (folder / f"{module.name}.tla").write_text(module.tla)
    (folder / f"{module.name}.cfg").write_text(module.cfg)
    answer = tla_run.run(jars["tlc"], module.name, workers, folder, 120)
    assert answer.result is not None
    return answer.result.outcome == "holds"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(COUNT))
def test_what_terminates_under_obe_terminates_under_cuda(
    seed: int, jars: Jars, workers: Workers, tmp_path: Path
) -> None:
    """Both owe progress to threads that have started; cuda to the others of their blocks too, and it owes some start."""
    program = polling_program(random.Random(seed), 2, 1, cooperative=False)
    if terminates(program, "obe", jars, workers, tmp_path):
        assert terminates(program, "cuda", jars, workers, tmp_path), program


@pytest.mark.sampled(2)
@pytest.mark.parametrize("unit", ["block", "cluster", "cooperative grid"])
@pytest.mark.parametrize("seed", range(COUNT // 3))
def test_one_unit_is_fair(seed: int, unit: str, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    """Once one thread has started, and the host's wait makes one start, every thread is owed progress."""
    blocks, cluster = {"block": (1, 1), "cluster": (2, 2), "cooperative grid": (2, 1)}[unit]
    program = polling_program(random.Random(seed), blocks, cluster, cooperative=unit == "cooperative grid")
    verdicts = [terminates(program, model, jars, workers, tmp_path) for model in ("cuda", "fair")]
    assert verdicts[0] == verdicts[1], program
