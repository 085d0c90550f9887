"""Every part of what the models say of copies, mbarriers and proxies is needed: without it some verdict changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.resources import resource
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.async_programs import PROGRAMS

#: The programs that race, under `cuda` and under `ptx`: of a write any fence on the way in its block will do in `ptx`.
RACES = {
    "phase before", "initialised for others, no fence", "data behind the fence", "bulk load, relaxed wait",
    "bulk store, issuer's fence", "bulk store, fence of global memory",
    "bulk load over what was read, fence of global memory", "global data, writer's fence",
    "global data, fence of shared memory", "two blocks, no fence", "into one block, no fence",
    "a reduction and an addition", "an arrival that nobody waited for", "an arrival that comes before a wait",
}  # fmt: skip
IN_PTX = RACES - {"bulk store, issuer's fence"}

_MB, _ASY = "rs-rf \\ (MB * MB) | phase", "order & (GEN * GEN | ASY * GEN | (ASY * ASY & scta))"
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
    "mbarriers are atomic": ("let conflict = conflict \\ (MB * MB)", "", "arrivals of block scope from two blocks"),
    "atomic operations of two proxies race": ("    let same = loc & px\n", "    let same = loc\n", "a reduction and an addition"),
    "early arrivals": ("let race = race | later \\ (known^-1 ; known)", "", "an arrival that nobody waited for"),
    "a wait is enough": ("later \\ (known^-1 ; known)", "later", "an arrival in a later phase"),
    "one that comes before": ("let known = served & fr", "let known = served", "an arrival that comes before a wait"),
}  # fmt: skip


def races(name: str, model: str, tmp_path: Path) -> bool:
    path = tmp_path / "program.cu"
    path.write_text(PROGRAMS[name])
    (outcome,) = check([path], Settings(engine="embedded", overrides=Overrides(model=model)))
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    (report,) = outcome.reports
    (found,) = (c.verdict for c in report.checks if c.expectation.kind == "race_free")
    assert found in ("holds", "violated")
    return found == "violated"


@pytest.mark.parametrize("model", ["cuda", "ptx"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program(name: str, model: str, tmp_path: Path) -> None:
    assert races(name, model, tmp_path) == (name in (RACES if model == "cuda" else IN_PTX))


@pytest.mark.parametrize(("model", "part"), [("cuda", part) for part in CUDA] + [("ptx", part) for part in PTX])
def test_each_part_is_needed(model: str, part: str, tmp_path: Path) -> None:
    old, new, name = (CUDA if model == "cuda" else PTX)[part]
    for file in Path(resource("memory/models")).iterdir():
        (tmp_path / file.name).write_text(file.read_text())
    cat = tmp_path / f"{model}.cat"
    text = cat.read_text()
    assert text.count(old) == 1, f"{old!r} is not in the model once"
    cat.write_text(text.replace(old, new))
    assert races(name, str(cat), tmp_path) != (name in (RACES if model == "cuda" else IN_PTX))
