"""TLC's verdicts on random programs are those of an explicit-state fair-cycle search written from the documents alone.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.engines.tla import run as tla_run
from scopec.engines.tla.emit import emit
from scopec.program.program import Program
from scopec.progress.build import build
from scopec.progress.models import CUDA, Model, Property
from scopec.progress.reductions import Reductions
from scopec.progress.system import Readings
from scopec.session.plan import Overrides, plan
from tests.built_programs import assumed, built
from tests.oracles import fair_cycles, fair_programs
from tests.random_progress import assuming_program, progress_program, progress_text, wide_program
from tests.samples import programs

pytestmark = pytest.mark.jvm
COUNT = programs(4, 14)


def fails(
    program: Program, property_: Property, readings: Readings, jars: Jars, workers: Workers, folder: Path,
    model: Model = CUDA,
) -> bool:  # fmt: skip
    """Whether TLC finds a behaviour without the property; its counterexample can be told."""
    system = build(program, model, Reductions(polls=property_ == "Termination"), readings)
    module = emit(system, f"m{property_}", ("a random program",), property_)
    (folder / f"{module.name}.tla").write_text(module.tla)
    (folder / f"{module.name}.cfg").write_text(module.cfg)
    answer = tla_run.run(jars["tlc"], module.name, workers, folder, 120)
    assert answer.result is not None
    tla_run.counterexample(answer.result, system, module)
    return answer.result.outcome != "holds"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(COUNT))
def test_hangs_and_stalls(seed: int, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    program = progress_program(random.Random(seed))
    path = tmp_path / "program.cu"
    path.write_text(progress_text(program))
    (run,) = plan(path, "program.cu", Overrides()).runs
    found = [fails(run.program, p, Readings(), jars, workers, tmp_path) for p in ("Termination", "Progress")]  # type: ignore[arg-type]
    assert found == [fair_cycles.hangs(program), fair_cycles.stalls(program)], path.read_text()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(COUNT))
def test_hosts_streams_barriers_and_units(seed: int, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    """Several host threads, events, copies and host functions, cooperative grids, clusters, waits; each reading."""
    chance = random.Random(10_000 + seed)
    program = wide_program(chance)
    chosen = {"api_blocks": True, "exited_threads_hold": False, "environment": False, "host_progress": True}
    if chance.random() < 0.4:
        other = chance.choice(list(chosen))
        chosen[other] = not chosen[other]
    whole, readings = built(program), Readings(**chosen)
    found = [fails(whole, p, readings, jars, workers, tmp_path) for p in ("Termination", "Progress")]  # type: ignore[arg-type]
    says = fair_programs.Readings(**chosen)
    assert found == [fair_cycles.hangs(program, says), fair_cycles.stalls(program, says)], f"{program} {says}"


@pytest.mark.parametrize("seed", range(COUNT // 2))
def test_blocks_that_are_resident_or_start_in_order(seed: int, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    program, says = assuming_program(random.Random(30_000 + seed))
    whole, readings, model = built(program), Readings(resident_blocks=says.places), assumed(says)
    found = [fails(whole, p, readings, jars, workers, tmp_path, model) for p in ("Termination", "Progress")]  # type: ignore[arg-type]
    assert found == [fair_cycles.hangs(program, says), fair_cycles.stalls(program, says)], f"{program} {says}"
