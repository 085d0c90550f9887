"""Every part of what the models say of copies, mbarriers and proxies is needed: without it some verdict changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scopec.engines.embedded.memory.sat import solve
from scopec.memory.questions import Problem
from scopec.session.plan import Overrides, plan
from scopec.session.reductions import REDUCTIONS
from tests.async_programs import PROGRAMS
from tests.test_mutations import mutated

#: The programs that race, under `cuda` and under `ptx`: of a write any fence on the way in its block will do in `ptx`.
RACES = {
    "phase before", "initialised for others, no fence", "data behind the fence", "bulk load, relaxed wait",
    "bulk store, issuer's fence", "bulk store, fence of global memory",
    "bulk load over what was read, fence of global memory", "global data, writer's fence",
    "global data, fence of shared memory", "two blocks, no fence", "into one block, no fence",
    "a reduction and an addition", "an arrival that nobody waited for", "an arrival that comes before a wait",
    "bulk load beside what its thread wrote",
}  # fmt: skip
IN_PTX = RACES - {"bulk store, issuer's fence"}

_MB, _ASY = "rs-rf \\ (MB * MB) | phase", "order & (GEN * GEN | ASY * GEN | (ASY * ASY & scta))"
_THROUGH = "let {0} = {0} | (({0} & loc) ; [range(start)] ; ({0} & loc))+"
#: What is replaced in cuda.cat, by what, and the program that notices.
CUDA = {
    "phases": (_MB, "rs-rf \\ (MB * MB) | phase \\ phase", "message"),
    "no chains of arrivals": (_MB, "rs-rf | phase", "phase before"),
    "shown initialisations": ("let hb = hb | shown ; hb?", "", "initialised for others"),
    "a fence shows them": ("[MI] ; po ; [IF] ; po ; [W & A]", "[MI] ; po ; [W & A]", "initialised for others, no fence"),
    "a fence shows nothing else": ("let shown = [MI] ; po ; [IF]", "let shown = [W] ; po ; [IF]", "data behind the fence"),
    "copies complete in phases": ("let done = done | complete ; acq", "", "bulk load"),
    "a wait for them acquires": ("let done = done | complete ; acq", "let done = done | complete", "bulk load, relaxed wait"),
    "the end of a copy is a fence": (_ASY, "order & (GEN * GEN | (ASY * ASY & scta))", "bulk load"),
    "generic accesses need none": (_ASY, "order & (ASY * GEN | (ASY * ASY & scta))", "message and a load"),
    "copies of a block need none": (_ASY, "order & (GEN * GEN | ASY * GEN)", "two loads"),
    "copies of two blocks do": (_ASY, "order & (GEN * GEN | ASY * GEN | ASY * ASY)", "two blocks, no fence"),
    "accesses need connections": ("let hb = order \\ (M * M) | connected", "let hb = order | connected", "bulk store, issuer's fence"),
    "a writer's fence": ("[GEN & W & SM] ; (po | done ; po?) ; [PS] ; order ; [ASY]", "0", "bulk store"),
    "no other thread's fence": ("(po | done ; po?) ; [PS]", "order ; [PS]", "bulk store, issuer's fence"),
    "a fence behind a copy": ("(po | done ; po?) ; [PS]", "po ; [PS]", "bulk store of a copy"),
    "a fence of shared memory": ("(po | done ; po?) ; [PS]", "(po | done ; po?) ; [PF]", "bulk store, fence of global memory"),
    "a fence behind reads": ("| [GEN & R & SM] ; order ; [PS] ; order ; [ASY]", "", "bulk load over what was read"),
    "of shared memory": ("[GEN & R & SM] ; order ; [PS]", "[GEN & R & SM] ; order ; [PF]", "bulk load over what was read, fence of global memory"),
    "a fence on the way": ("                | [GEN \\ SM] ; fenced\n", "", "global data"),
    "in the copy's block": ("[PG] ; (order & scta) ; [ASY]", "[PG] ; order ; [ASY]", "global data, writer's fence"),
    "of global memory": ("order ; [PG] ; (order & scta)", "order ; [PF] ; (order & scta)", "global data, fence of shared memory"),
    "a fence between copies": (" | [ASY \\ SM] ; order ; [PG] ; order ; [ASY]", "", "two blocks"),
    "a fence between copies to shared memory": ("[ASY & SM] ; order ; [PS] ; order ; [ASY] | ", "", "into one block"),
    "launches order all": (" | order? ; api ; order?", "", "two kernels"),
    "through an agent at one location": (_THROUGH.format("hb"), "let hb = hb", "bulk load over what its thread wrote"),
    "at no other": (_THROUGH.format("hb"), "let hb = hb | hb ; [range(start)] ; hb", "bulk load beside what its thread wrote"),
    "mbarriers are atomic": ("let conflict = conflict \\ (MB * MB)", "", "arrivals of block scope from two blocks"),
    "atomic operations of two proxies race": ("let race = race | (conflict \\ px) \\ hb \\ hb^-1", "", "a reduction and an addition"),
    "early arrivals": ("let race = race | later \\ (known^-1 ; known)", "", "an arrival that nobody waited for"),
    "a wait is enough": ("later \\ (known^-1 ; known)", "later", "an arrival in a later phase"),
    "one that comes before": ("let known = served & fr", "let known = served", "an arrival that comes before a wait"),
}  # fmt: skip
_LEAVES, _ENTERS = (
    "[M & SM] ; (px & scta) ; [PS] | [M \\ SM] ; (px & scta) ; [PG]",
    "[PS] ; (px & scta) ; [M & SM] | [PG] ; (px & scta) ; [M \\ SM]",
)
#: The same of ptx.cat.
PTX = {
    "phases": ("observed \\ (MB * MB) | ms & phase", "observed \\ (MB * MB) | phase \\ phase", "message"),
    "no chains of arrivals": ("observed \\ (MB * MB) | ms & phase", "observed | ms & phase", "phase before"),
    "shown initialisations": ("let cause-base = cause-base | shown ; (po | cause-base)?", "", "initialised for others"),
    "a fence shows them": ("[MI] ; po ; [IF] ; po ; [W & strong]", "[MI] ; po ; [W & strong]", "initialised for others, no fence"),
    "a fence shows nothing else": ("let shown = [MI] ; po ; [IF]", "let shown = [W] ; po ; [IF]", "data behind the fence"),
    "copies complete in phases": ("let done = done | complete ; acquire-pattern", "", "bulk load"),
    "a wait for them acquires": ("done | complete ; acquire-pattern", "done | complete", "bulk load, relaxed wait"),
    "the end of a copy is a fence": (" | [ASY] ; done\n", " | [ASY] ; (done \\ done)\n", "bulk load"),
    "copies of a block need none": ("= loc & (px & scta & base | ", "= loc & (", "two loads"),
    "copies of two blocks do": ("= loc & (px & scta & base |", "= loc & (px & base |", "two blocks, no fence"),
    "fences": ("let enters = [GEN] | base & ([PS] ; (px & scta) ; [M & SM] | [PG] ; (px & scta) ; [M \\ SM])", "let enters = [GEN]", "bulk store"),
    "a fence of shared memory": ("[PS] ; (px & scta) ; [M & SM] | ", "[PF] ; (px & scta) ; [M & SM] | ", "bulk store, fence of global memory"),
    "of global memory": ("[PG] ; (px & scta) ; [M \\ SM])", "[PF] ; (px & scta) ; [M \\ SM])", "global data, fence of shared memory"),
    "in the copy's block": ("[PG] ; (px & scta) ; [M \\ SM])", "[PG] ; px ; [M \\ SM])", "global data, writer's fence"),
    "launches order all": (" | base? ; api ; base?)", ")", "two kernels"),
    "through an agent at one location": (_THROUGH.format("cause"), "let cause = cause", "bulk load over what its thread wrote"),
    "at no other": (_THROUGH.format("cause"), "let cause = cause | before? ; start ; done ; before?", "bulk load beside what its thread wrote"),
    "mbarriers are atomic": ("let conflict = conflict \\ (MB * MB)", "", "arrivals of block scope from two blocks"),
    "atomic operations of two proxies race": ("    let same = loc & px\n", "    let same = loc\n", "a reduction and an addition"),
    "early arrivals": ("let race = race | later \\ (known^-1 ; known)", "", "an arrival that nobody waited for"),
    "a wait is enough": ("later \\ (known^-1 ; known)", "later", "an arrival in a later phase"),
    "one that comes before": ("let known = served & fr", "let known = served", "an arrival that comes before a wait"),
}  # fmt: skip
PARTS = {"cuda": CUDA, "ptx": PTX}
#: The model of each file that is changed.
MODELS = {"cuda": "cuda-v3", "ptx": "ptx"}


def asked(problem: Problem) -> bool:
    """Whether an execution of the program has a race."""
    questions = tuple(question for question in problem.questions if question.name == "race")
    found = solve(replace(problem, questions=questions))
    assert found is not None
    return found["race"] is not None


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_and_the_parts_that_it_misses(name: str, tmp_path: Path) -> None:
    """The program is read once: it is asked of the models as they are, and of each that lacks a part it is to miss.

    What another model lets scopec leave out stays.
    """
    path = tmp_path / "program.cu"
    path.write_text(PROGRAMS[name].replace("expect race_free;", "expect race_free under cuda, ptx;"))
    runs = {run.model.name: run for run in plan(path, path.name, Overrides(without=frozenset(REDUCTIONS))).runs}
    expected = {"cuda": name in RACES, "ptx": name in IN_PTX}
    assert {family: asked(runs[model].problem) for family, model in MODELS.items()} == expected
    noticed = {
        (family, part): asked(mutated(runs[MODELS[family]], old, new, tmp_path / f"{family}-{n}")) != expected[family]
        for family, parts in PARTS.items()
        for n, (part, (old, new, program)) in enumerate(parts.items())
        if program == name
    }
    assert noticed == dict.fromkeys(noticed, True)


def test_each_part_has_its_program() -> None:
    assert {program for parts in PARTS.values() for _, _, program in parts.values()} <= set(PROGRAMS)
