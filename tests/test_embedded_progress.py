"""The progress question in this process: the same verdicts as the oracle's, the files' and TLC's."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scopec.engines.embedded.progress import exploring
from scopec.engines.embedded.progress.exploring import Exploration
from scopec.engines.embedded.progress.fair_cycles import Answer, solve
from scopec.engines.tla import run as tla_run
from scopec.engines.tla.engine import module as tla_module
from scopec.program.program import Program
from scopec.progress.build import build
from scopec.progress.models import CUDA, Model, Property
from scopec.progress.promises import Promise, When
from scopec.progress.reductions import NOTHING, Reductions
from scopec.progress.schedule import Ending, Kind
from scopec.progress.system import Readings, System
from scopec.session.inquiry.questions import progress_problem
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from tests.built_programs import assumed, built
from tests.conftest import REPOSITORY, check_text, verdicts
from tests.oracles import fair_cycles, fair_programs
from tests.random_progress import assuming_program, progress_program, progress_text, wide_program
from tests.samples import programs
from tests.specifications import KEPT, some

pytestmark = pytest.mark.usefixtures("kept_machines")

#: Both engines follow the same rules of progress, so these programs are what holds the rules to the documents.
COUNT = 5 * programs(3, 8)
PROPERTIES: tuple[Property, Property] = ("Termination", "Progress")


def fails(program: Program, property_: Property, readings: Readings, model: Model = CUDA) -> bool:
    system = build(program, model, Reductions(polls=property_ == "Termination"), readings)
    answer = solve(system, property_)
    assert (answer.schedule is None) is bool(answer.holds)
    if answer.schedule is not None:
        shows_a_behaviour(system, property_, answer)
    return not answer.holds


def shows_a_behaviour(system: System, property_: Property, answer: Answer) -> None:
    """The moments of a schedule follow each other by steps, and the last leads back to where the loop begins."""
    exploration = Exploration(system, property_)
    stepping, found = exploration.stepping, answer.schedule
    assert found is not None
    assert found.behind
    at = {stepping.initial}
    assert stepping.moment(stepping.initial) == found.start
    for move in found.moves:
        at = {to for state in at for _, _, to, _ in exploration.steps(state) if stepping.moment(to) == move.after}
        assert at
    if found.ending is Ending.LASSO:
        assert found.loop_to is not None
        before = found.moves[found.loop_to - 1].after if found.loop_to else found.start
        assert found.moves[-1].after == before
    elif found.ending is Ending.DEADLOCK:
        assert not any(True for state in at for _ in exploration.steps(state))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(COUNT))
def test_hangs_and_stalls(seed: int, tmp_path: Path) -> None:
    program = progress_program(random.Random(seed))
    path = tmp_path / "program.cu"
    path.write_text(progress_text(program))
    (run,) = plan(path, "program.cu", Overrides()).runs
    found = [fails(run.program, p, Readings()) for p in PROPERTIES]
    assert found == [fair_cycles.hangs(program), fair_cycles.stalls(program)], path.read_text()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(COUNT))
def test_hosts_streams_barriers_and_units(seed: int) -> None:
    """Several host threads, events, copies and host functions, cooperative grids, clusters, waits; each reading."""
    chance = random.Random(10_000 + seed)
    program = wide_program(chance)
    chosen = {"api_blocks": True, "exited_threads_hold": False, "environment": False, "host_progress": True}
    if chance.random() < 0.4:
        other = chance.choice(list(chosen))
        chosen[other] = not chosen[other]
    found = [fails(built(program), p, Readings(**chosen)) for p in PROPERTIES]
    says = fair_programs.Readings(**chosen)
    assert found == [fair_cycles.hangs(program, says), fair_cycles.stalls(program, says)], f"{program} {says}"


@pytest.mark.parametrize("seed", range(COUNT // 2))
@pytest.mark.sampled(3)
def test_blocks_that_are_resident_or_start_in_order(seed: int) -> None:
    program, says = assuming_program(random.Random(20_000 + seed))
    model, readings = assumed(says), Readings(resident_blocks=says.places)
    found = [fails(built(program), p, readings, model) for p in PROPERTIES]
    assert found == [fair_cycles.hangs(program, says), fair_cycles.stalls(program, says)], f"{program} {says}"


@pytest.mark.parametrize("seed", range(1000, 1000 + COUNT // 14))
def test_reductions_change_no_verdict(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "program.cu"
    path.write_text(progress_text(progress_program(random.Random(seed))))
    (run,) = plan(path, "program.cu", Overrides()).runs
    for property_ in PROPERTIES:
        whole = solve(build(run.program, run.progress, NOTHING), property_)
        less = solve(build(run.program, run.progress, Reductions(polls=property_ == "Termination")), property_)
        assert whole.holds == less.holds, path.read_text()


SPECS = sorted(
    p for p in (REPOSITORY / "specs").rglob("*.cu") if "terminates" in p.read_text() or "may_" in p.read_text()
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("path", some(SPECS, 9), ids=lambda p: p.stem)
def test_every_expectation_of_the_specs_is_met(path: Path) -> None:
    for run in plan(path, str(path), KEPT).runs:
        for check in run.progress_checks:
            property_: Property = "Termination" if check.kind in ("terminates", "may_hang") else "Progress"
            answer = solve(progress_problem(run, property_).system, property_)
            if answer.holds and path.parent.name == "hangs" and check.kind in ("may_hang", "may_stall"):
                continue  # a hang that schedules alone do not show: test_hangs.py
            assert answer.holds is (check.kind in ("terminates", "progresses")), f"{run.name}: {check.text}"


def run_of(spec: str, progress: str | None = None, **variant: str) -> Run:
    path = REPOSITORY / "specs" / spec
    runs = plan(path, path.name, Overrides(progress=progress, cache=True)).runs
    return next(r for r in runs if dict(r.program.variant).items() >= variant.items() and r.properties)


#: What is done to the promises, and the program that notices.
CHANGES = {
    "HostProgress": (lambda _: None, "api-1", {}),
    "HostProgress outside API calls only": (lambda p: replace(p, when=()), "host-after-launch", {"BEFORE": "false"}),
    "DeviceProgress": (lambda _: None, "device-0", {}),
    "DeviceProgress for started blocks only": (lambda p: replace(p, when=()), "device-0-blocks", {"BLOCKS": "2"}),
    "DeviceProgress for the whole block": (lambda p: replace(p, when=(When.STARTED,)), "device-0", {}),
    "ApiProgress": (lambda _: None, "api-1", {}),
    "ApiProgress needs no start while a thread runs": (lambda p: replace(p, when=(When.IN_API,)), "stream-0", {}),
    "ApiProgress may start a thread": (lambda p: replace(p, acts=p.acts[:1]), "api-1", {}),
    "QueryProgress": (lambda _: None, "api-4", {}),
    "QueryProgress is strong": (lambda p: replace(p, strong=False), "api-4", {}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_promise_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, spec, variant = CHANGES[name]
    run = run_of(f"cuda-execution-model/{spec}.cu", **variant)
    before = solve(progress_problem(run, "Termination").system, "Termination")
    whole = exploring.promises

    def changed(system: System) -> Iterator[Promise]:
        for promise in whole(system):
            new = change(promise) if promise.name == name.split()[0] else promise  # type: ignore[no-untyped-call]
            if new is not None:
                yield new

    monkeypatch.setattr(exploring, "promises", changed)
    assert solve(progress_problem(run, "Termination").system, "Termination").holds is not before.holds


@pytest.mark.parametrize(
    ("spec", "ending", "kind"),
    [("device-1", Ending.LASSO, Kind.SILENCE), ("api-2", Ending.STOP, Kind.STARVATION)],
)
@pytest.mark.sampled(1)
def test_schedules_say_why(spec: str, ending: Ending, kind: Kind) -> None:
    found = solve(
        progress_problem(run_of(f"cuda-execution-model/{spec}.cu"), "Termination").system, "Termination"
    ).schedule
    assert found is not None
    assert (found.ending, found.kind) == (ending, kind)


SPIN = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0}, g{0};
__global__ void k() { if (blockIdx.x == 0) f.store(1); else while (f.load() == 0) g.fetch_add(1); }
//@ launch k<<<2, 1>>>();
"""


def test_the_time_limit_ends_a_search(tmp_path: Path) -> None:
    """The counter makes the states endless."""
    outcome = check_text(
        tmp_path,
        SPIN.replace("f.load() == 0", "g.load() >= 0") + "//@ expect terminates;",
        engine="embedded",
        timeout=2,
    )
    assert verdicts([outcome]) == {"terminates": ["unknown"]}
    (check,) = outcome.reports[0].checks
    assert check.states
    assert f"after {check.states} states" in (check.reason or "")


def test_the_command_line_asks_it(tmp_path: Path) -> None:
    outcome = check_text(tmp_path, SPIN + "//@ expect may_hang;", engine="embedded")
    (report,) = outcome.reports
    assert [(c.verdict, c.engine) for c in report.checks] == [("holds", "embedded")]


@pytest.mark.jvm
def test_both_engines_must_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = SPIN.replace("g.fetch_add(1)", "") + "//@ expect may_hang;"
    outcome = check_text(tmp_path, text, engine="both")
    assert verdicts([outcome]) == {"may_hang": ["holds"]}
    monkeypatch.setattr("scopec.engines.embedded.progress.fair_cycles.solve", lambda *_: Answer(True, None, 3))
    outcome = check_text(tmp_path, text, engine="both")
    assert outcome.exit_code == 3
    assert outcome.failure is not None
    assert "the engines disagree about Termination" in outcome.failure
    kept = Path(outcome.failure.rpartition(" in ")[2])
    assert {"program.tla", "program.cfg", "program.steps.txt"} <= {p.name for p in kept.iterdir()}
    answers = json.loads((kept / "program.answers.json").read_text())
    assert (answers["tlc"]["holds"], answers["embedded"]["holds"]) == (False, True)


@pytest.mark.jvm
def test_threads_that_do_nothing_end(tmp_path: Path) -> None:
    text = "__global__ void g() { }\n//@ launch g<<<1, 1>>>();\n//@ expect terminates under lobe, fair, obe, hsa;\n"
    assert verdicts([check_text(tmp_path, text, engine="both")]) == {"terminates": ["holds"] * 4}


@pytest.mark.jvm
@pytest.mark.sampled(0)
def test_schedules_end_as_those_of_tlc(tmp_path: Path, jars, workers) -> None:  # type: ignore[no-untyped-def]
    for spec in ("api-2", "device-1", "stream-0", "note-writes"):
        run = run_of(f"cuda-execution-model/{spec}.cu")
        problem = progress_problem(run, "Termination")
        system, module = problem.system, tla_module(problem)
        (tmp_path / f"{module.name}.tla").write_text(module.tla)
        (tmp_path / f"{module.name}.cfg").write_text(module.cfg)
        answer = tla_run.run(jars["tlc"], module.name, workers, tmp_path, 120)
        assert answer.result is not None
        theirs = tla_run.counterexample(answer.result, system, module)
        ours = solve(system, "Termination").schedule
        assert theirs is not None
        assert ours is not None
        assert (ours.start.labels, ours.start.memory) == (theirs.start.labels, theirs.start.memory)
        assert ours.kind == theirs.kind
