"""The embedded engine and the jars answer alike: ``--engine both`` on random programs, a batch a virtual machine.

``SCOPEC_RANDOM_PROGRAMS=N`` asks 2 N memory programs and N progress programs (CONTRIBUTING.md names the full sweep).
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from scopec.session.check import Outcome, Settings, check
from tests.oracles import fair_programs
from tests.random_programs import memory_places, memory_program, memory_text
from tests.random_progress import progress_program, progress_text
from tests.samples import programs

pytestmark = [pytest.mark.jvm, pytest.mark.usefixtures("kept_machines")]
COUNT = programs(3, 12)
_BATCH = 20
_OPTIONS = (
    "thin_air = syntactic",
    "thin_air = rc11",
    "thin_air = off",
    "release_sequence = c++11",
    "sc_order = rc11",
    "sync_scope = literal",
    "sc_scope = global",
)
_MODELS = ("cuda",) * 4 + ("cuda-v1", "cuda-v2", "hrf0", "hrf-indirect", "rc11", "ptx")
_PROGRESS = ("cuda",) * 3 + ("cuda-resident", "cuda-in-order", "cuda-in-order", "fair", "obe", "hsa", "hsa-obe", "lobe")


def memory_questions(chance: random.Random) -> str:
    """A random program under a random model and options, asked for a race, final values and what was read."""
    program = memory_program(chance)
    registers = [
        f"k[{block}][{lane}].t{number}_{op.reg_old if hasattr(op, 'reg_old') else op.reg}"
        for number, (thread, (block, lane)) in enumerate(zip(program.threads, memory_places(program), strict=True))
        for op in thread.ops
        if hasattr(op, "reg") or hasattr(op, "reg_old")
    ]
    asked = [f"{name} == {chance.randint(0, 3)}" for name in chance.sample(["x", "y", *registers], 2)]
    kinds = ("allowed", "forbidden", "required")
    model = chance.choice(_MODELS)
    under = f" under {model}"
    lines = ["//@ options races = ignore;"]
    if chance.random() < 0.3 and model.startswith("cuda"):
        lines.append(f"//@ options {chance.choice(_OPTIONS)};")
    lines.append(f"//@ expect race_free{under};")
    lines += [f"//@ expect {chance.choice(kinds)} {formula}{under};" for formula in (*asked, " && ".join(asked))]
    return memory_text(program, "\n".join(lines))


def progress_questions(chance: random.Random) -> str:
    """A random program, asked whether it ends and progresses, under a random model; most have no host."""
    program, model = progress_program(chance), chance.choice(_PROGRESS)
    places = chance.choice(["unlimited", "1", "2"]) if model.startswith("cuda") else "unlimited"
    if not model.startswith("cuda"):
        program = replace(program, host=(*map(fair_programs.Launch, program.grids), fair_programs.DeviceSynchronize()))
    asked = f"//@ expect terminates under {model};\n//@ expect progresses under {model};\n"
    return f"{progress_text(program)}\n//@ options races = ignore;\n//@ given resident_blocks = {places};\n{asked}"


def failures(outcomes: list[Outcome], folder: Path) -> list[str]:
    """What went wrong with which program."""
    return [
        f"{o.failure or o.diagnostics[0]}\n{(folder / Path(o.file).name).read_text()}"
        for o in outcomes
        if o.failure is not None or any(d.severity == "error" for d in o.diagnostics)
    ]


@pytest.mark.parametrize("first", range(0, 2 * COUNT, _BATCH))
@pytest.mark.sampled(0)
def test_memory(first: int, tmp_path: Path) -> None:
    for seed in range(first, min(first + _BATCH, 2 * COUNT)):
        (tmp_path / f"p{seed}.cu").write_text(memory_questions(random.Random(50_000 + seed)))
    outcomes = check([tmp_path], Settings(engine="both"))
    assert failures(outcomes, tmp_path) == []
    assert all(report.checks for o in outcomes for report in o.reports)


@pytest.mark.parametrize("first", range(0, COUNT, _BATCH))
@pytest.mark.sampled(0)
def test_progress(first: int, tmp_path: Path) -> None:
    for seed in range(first, min(first + _BATCH, COUNT)):
        (tmp_path / f"p{seed}.cu").write_text(progress_questions(random.Random(60_000 + seed)))
    outcomes = check([tmp_path], Settings(engine="both"))
    assert failures(outcomes, tmp_path) == []
    assert all(c.verdict != "unknown" for o in outcomes for report in o.reports for c in report.checks)
