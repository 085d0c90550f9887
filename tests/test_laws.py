"""The laws of progress as a module of their own: one that extends it answers as one that has them inside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.engines.tla import laws
from scopec.engines.tla import run as tla_run
from scopec.engines.tla.engine import PROGRESS
from scopec.engines.tla.text import WIDTH
from scopec.engines.tla.values import LAWS_MODULE, module_name
from scopec.progress.questions import ProgressProblem
from scopec.progress.rules import LAWS
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import Overrides, plan
from tests.specifications import SPECS

#: Programs that are under every law, and some of whose expectations hold.
PROGRAMS = (
    "algorithms/host-callback.cu",
    "barriers/drop.cu",
    "barriers/shuffle.cu",
    "barriers/votes.cu",
    "cuda-execution-model/events.cu",
    "cuda-execution-model/query-deadlock.cu",
    "dependent-launches/waits-for-the-next.cu",
    "dependent-launches/begins-first.cu",
    "host/stop.cu",
    "host/trap.cu",
    "litmus-files/ptx-quorum.litmus",
    "progress-models/lock.cu",
)


def problems(program: str) -> list[ProgressProblem]:
    path = SPECS / program
    runs = plan(path, str(path), Overrides(cache=True)).runs
    return [progress_problem(run, property_) for run in runs for property_ in run.properties]


@pytest.mark.sampled(1)
@pytest.mark.jvm
@pytest.mark.parametrize("program", PROGRAMS)
def test_both_forms_have_one_answer(program: str, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    for problem in problems(program):
        results = []
        for form in (PROGRESS.specification, PROGRESS.extending):
            folder = tmp_path / f"{problem.name}-{len(results)}"
            folder.mkdir()
            for name, text in form(problem).items():
                (folder / name).write_text(text)
            results.append(tla_run.run(jars["tlc"], problem.name, workers, folder, 120).result)
        assert results[0] is not None
        assert results[0] == results[1]


def test_a_self_contained_module_is_one_file() -> None:
    (problem,) = problems("barriers/votes.cu")
    whole, extending = PROGRESS.specification(problem), PROGRESS.extending(problem)
    assert extending.keys() - whole.keys() == {f"{LAWS_MODULE}.tla"}
    assert LAWS_MODULE not in whole["votes.tla"]
    assert whole["votes.cfg"] == extending["votes.cfg"]
    for definition in (*LAWS[0].own, *(one for each in LAWS if each.name == "Barriers" for one in each.own)):
        heads = [
            text.count(f"\n{definition.name}(") for text in (whole["votes.tla"], extending["votes.tla"], laws.text())
        ]
        assert heads == [1, 0, 1]


def test_every_law_is_that_of_some_program() -> None:
    modules = [text for program in PROGRAMS for p in problems(program) for text in PROGRESS.extending(p).values()]
    instances = {name for text in modules for name in re.findall(r"^INSTANCE (\w+)$", text, re.MULTILINE)}
    assert instances == {each.name for each in LAWS if each.name} - {b.name for each in LAWS for b in each.bases}


def test_the_laws_fit_and_hold_no_name_of_a_program() -> None:
    text = laws.text()
    assert text.isascii()
    assert all(len(line) <= WIDTH for line in text.splitlines())
    assert [module_name(name) for name in (LAWS_MODULE, "cudaprogress", "votes")] == [
        f"p_{LAWS_MODULE}", "p_cudaprogress", "votes",
    ]  # fmt: skip
