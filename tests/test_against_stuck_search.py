"""The stuck question on random programs that wait in loops: against a brute-force search, Alloy, and TLC.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from scopec.engines.embedded.progress.fair_cycles import solve as explore
from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.engines.tla import run as tla_run
from scopec.engines.tla.emit import emit as emit_tla
from scopec.session.inquiry.hangs import STUCK, UNDECIDED, Search, search
from scopec.session.inquiry.questions import progress_problem
from scopec.session.inquiry.run import Run
from tests.conftest import check_text, plan_of, verdicts
from tests.oracles import stuck
from tests.oracles.small_threads import Program, Thread
from tests.random_programs import memory_places
from tests.random_waits import waiting_program
from tests.samples import programs
from tests.small_texts import cuda_text, opencl_text
from tests.test_stuck import alloy_finds, answers

COUNT = programs(3, 10)


@dataclass(frozen=True)
class Case:
    """A program, how it is written and launched, and under which progress model."""

    program: Program
    progress: str
    cooperative: bool
    litmus: bool

    def text(self) -> str:
        return opencl_text(self.program) if self.litmus else cuda_text(self.program, cooperative=self.cooperative)

    def run(self, folder: Path) -> Run:
        path = folder / ("program.litmus" if self.litmus else "program.cu")
        path.write_text(self.text())
        (run,) = plan_of(path, **({} if self.progress == "cuda" else {"progress": self.progress})).runs
        return run


def case(seed: int) -> Case:
    """Half of them in an ordinary launch, the others in a cooperative one or under another progress model."""
    chance = random.Random(f"stuck {seed}")
    how = chance.choice(["ordinary", "ordinary", "cooperative", "other"])
    other = how == "other"
    progress = chance.choice([m for m in stuck.PROGRESS if m != "cuda"]) if other else "cuda"
    litmus = other and chance.random() < 0.5
    program = drawn(chance)
    return Case(program if litmus else with_idle_threads(program), progress, how == "cooperative", litmus)


def drawn(chance: random.Random, orders: str | None = None) -> Program:
    """A program that is not too large for the checker."""
    while True:
        program = waiting_program(chance, orders)
        try:
            stuck.value_domain(program, 50)
        except stuck.TooLarge:
            continue
        return program


def with_idle_threads(program: Program) -> Program:
    """The blocks of a grid are equally wide."""
    at = dict(zip(memory_places(program.declared()), program.threads, strict=True))
    blocks = dict.fromkeys(t.block for t in program.threads)
    lanes = range(1 + max(lane for _, lane in at))
    threads = (at.get((n, lane), Thread(block, ())) for n, block in enumerate(blocks) for lane in lanes)
    return Program(tuple(threads), program.locations)


@cache
def brute_force(seed: int) -> stuck.Answer:
    asked = case(seed)
    return stuck.search(asked.program, asked.progress, cooperative=asked.cooperative, alone=asked.litmus)


def agree(found: Mapping[str, bool], wanted: stuck.Answer) -> bool:
    """Whether an engine's answers are those of the checker, which says where it does not look further."""
    if wanted.found is not None:
        return found[STUCK]
    return wanted.cut or not (found[STUCK] or found[UNDECIDED])


def asked_of_sat(asked: Search) -> dict[str, bool]:
    return {name: execution is not None for name, execution in answers(asked).items()}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(5 * COUNT))
def test_embedded(seed: int, tmp_path: Path) -> None:
    asked = case(seed)
    assert agree(asked_of_sat(search(asked.run(tmp_path), "Termination")), brute_force(seed)), asked.text()


@pytest.mark.sampled(2)
@pytest.mark.jvm
@pytest.mark.parametrize("seed", range(COUNT))
def test_alloy(seed: int, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    asked = case(seed)
    found = alloy_finds(search(asked.run(tmp_path), "Termination"), jars, workers, tmp_path)
    assert agree(found, brute_force(seed)), asked.text()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(2 * COUNT))
def test_verdicts(seed: int, tmp_path: Path) -> None:
    """`terminates` holds where nothing is stuck, unless a schedule goes on for ever changing memory.

    Where races are asked for it is also asked whether every execution is sequentially consistent.
    """
    asked = case(seed)
    asked = replace(asked, program=with_idle_threads(asked.program), litmus=False)
    wanted = stuck.search(asked.program, asked.progress, cooperative=asked.cooperative, alone=asked.litmus)
    under = "" if asked.progress == "cuda" else f" under {asked.progress}"
    directives = f"//@ options races = {'ignore' if seed % 2 else 'report'};\n//@ expect terminates{under};\n"
    outcome = check_text(tmp_path, asked.text() + directives, engine="embedded")
    ((verdict,),) = verdicts([outcome]).values()
    if wanted.found is not None:
        assert verdict == "violated", asked.text()
    elif not wanted.cut:
        assert verdict == "holds", asked.text()


def test_the_programs_notice_what_a_period_must_read(tmp_path: Path) -> None:
    """Where a period may read anything some program gets stuck that does not: the comparison would notice it."""

    def noticed(seed: int) -> bool:
        asked = search(case(seed).run(tmp_path), "Termination")
        model = asked.problem.model
        less = replace(model, axioms=tuple(a for a in model.axioms if a.name != "last_write"))
        assert len(less.axioms) < len(model.axioms)
        return not agree(asked_of_sat(replace(asked, problem=replace(asked.problem, model=less))), brute_force(seed))

    assert any(map(noticed, range(50)))


def test_some_programs_get_stuck_only_where_memory_is_weak(tmp_path: Path) -> None:
    def only_weak(seed: int) -> bool:
        return brute_force(seed).found is not None and bool(terminates(case(seed).run(tmp_path)))

    assert any(map(only_weak, range(100)))


# ---------------------------------------------------------------- programs that are sequentially consistent


def sequential(seed: int) -> Case:
    """No race, and every operation is seq_cst: so are the executions, and schedules are the whole answer."""
    chance = random.Random(f"sequential {seed}")
    cooperative, program = chance.random() < 0.5, with_idle_threads(drawn(chance, "seq_cst"))
    progress = chance.choice(["cuda", *(name for name in stuck.PROGRESS if name.startswith("cuda") or not cooperative)])
    return Case(program, progress, cooperative, litmus=False)


def terminates(run: Run) -> bool | None:
    return explore(progress_problem(run, "Termination").system, "Termination", 60).holds


def agrees_with_schedules(asked: Case, run: Run, *, ends: bool) -> bool:
    """Whether the stuck question, the checker of it, and the question about schedules have one answer."""
    found = asked_of_sat(search(run, "Termination"))
    wanted = stuck.search(asked.program, asked.progress, cooperative=asked.cooperative, alone=asked.litmus)
    decided = found[STUCK] or not found[UNDECIDED]
    return agree(found, wanted) and (not decided or found[STUCK] is not ends)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(3 * COUNT))
def test_schedules(seed: int, tmp_path: Path) -> None:
    asked = sequential(seed)
    run = asked.run(tmp_path)
    ends = terminates(run)
    assert ends is not None
    assert agrees_with_schedules(asked, run, ends=ends), asked.text()


@pytest.mark.jvm
@pytest.mark.parametrize("seed", range(3 * COUNT // 5))
def test_schedules_of_tlc(seed: int, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    asked = sequential(seed)
    run = asked.run(tmp_path)
    system = progress_problem(run, "Termination").system
    module = emit_tla(system, "program", ("a random program",), "Termination")
    (tmp_path / "program.tla").write_text(module.tla)
    (tmp_path / "program.cfg").write_text(module.cfg)
    answer = tla_run.run(jars["tlc"], module.name, workers, tmp_path, 120)
    assert answer.result is not None
    assert agrees_with_schedules(asked, run, ends=answer.result.outcome == "holds"), asked.text()
