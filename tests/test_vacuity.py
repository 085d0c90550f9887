"""A wait that no execution gets past: found by both engines, said in every report, and nowhere else."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scopec.base.diagnostics import Code
from scopec.engines.alloy import run as alloy_run
from scopec.engines.alloy.emit import emit
from scopec.engines.embedded.memory.sat import solve
from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.report import formats, html
from scopec.session.check import Outcome, Settings, check
from scopec.session.inquiry.findings import Findings
from scopec.session.inquiry.run import Run
from scopec.session.inquiry.vacuity import places, questioned, vacuous_waits
from scopec.session.inquiry.verdicts import findings
from scopec.session.plan import Overrides, plan
from tests import random_loops, test_wait_loops
from tests.conftest import REPOSITORY, plan_of
from tests.samples import programs
from tests.test_formats import assert_valid

pytestmark = pytest.mark.usefixtures("kept_machines")

COUNT = programs(4, 20)
HEAD = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0}, g{0};
__device__ int x;
"""


def kernel(*threads: str, asked: str = "race_free") -> str:
    """One line of a kernel a thread, from line 4 on."""
    body = "".join(f"    if (threadIdx.x == {n}) {{ {text} }}\n" for n, text in enumerate(threads))
    return f"{HEAD}__global__ void k() {{\n{body}}}\n//@ launch k<<<1, {len(threads)}>>>();\n//@ expect {asked};\n"


def said(path: Path, model: str | None = None) -> list[str]:
    (outcome,) = check([path], Settings(Overrides(model=model), engine="embedded"))
    assert outcome.failure is None
    assert {d.code for d in outcome.diagnostics} <= {Code.DEAD_END, Code.DIVERGENT_BARRIER}
    return [d.message for d in outcome.diagnostics if d.code is Code.DEAD_END]


DEAD = {
    "a value that nobody writes": (kernel("while (f.load() == 0); x = 1;", "f.store(0);"), ["no execution gets past line 4"]),
    "a wait of an atomic": (kernel("f.wait(0); x = 1;"), ["no execution gets past line 4"]),
    "of two values one": (kernel("while (f.load() != 3); x = 1;", "f.store(1); f.store(2);"), ["no execution gets past line 4"]),
    "of the same wait in other threads another": (
        HEAD + "__global__ void k() {\n    while (f.load() <= threadIdx.x);\n}\n"
        "__global__ void l() { f.store(2); }\n//@ launch k<<<1, 4>>>();\n//@ launch l<<<1, 1>>>();\n//@ expect race_free;\n",
        ["no execution gets past line 4"],
    ),
    "for some threads alone": (
        HEAD + "__global__ void k() {\n    if (threadIdx.x == 4) f.store(2);\n    else while (f.load() <= threadIdx.x);\n}\n"
        "//@ launch k<<<1, 5>>>();\n//@ expect race_free;\n",
        ["no execution lets k[0][2], k[0][3] get past line 5"],
    ),
    "each for the other": (
        kernel("while (f.load() == 0); g.store(1);", "while (g.load() == 0); f.store(1);"),
        ["no execution gets past line 4", "no execution gets past line 5"],
    ),
    "the first of two": (kernel("while (f.load() == 0); while (g.load() == 0);"), ["no execution gets past line 4"]),
    "behind another": (
        kernel("while (f.load() == 0);\n while (g.load() == 0);", "f.store(1);"), ["no execution gets past line 5"]
    ),
    "what waits for it is not named": (
        kernel("while (f.load() == 0); __syncthreads();", "__syncthreads();"), ["no execution gets past line 4"]
    ),
    "on one path": (
        kernel("if (g.load() == 1) { while (f.load() == 0); } x = 1;", "g.store(1);"), ["no execution gets past line 4"]
    ),
    "a barrier": (
        "__global__ void k() {\n    cuda::barrier<cuda::thread_scope_block>* p = nullptr;\n"
        "    __shared__ cuda::barrier<cuda::thread_scope_block> b;\n    if (threadIdx.x == 0) init(&b, 3);\n"
        "    __syncthreads();\n    b.arrive_and_wait();\n}\n//@ launch k<<<1, 2>>>();\n//@ expect race_free;\n",
        ["no execution gets past line 6"],
    ),
    "another device's own": (
        "__device__ cuda::atomic<int, cuda::thread_scope_system> f{0};\n__global__ void s() { f.store(1); }\n"
        "__global__ void w() {\n    while (f.load() == 0);\n}\n"
        "int main() { s<<<1, 1>>>(); cudaSetDevice(1); w<<<1, 1>>>(); cudaDeviceSynchronize(); }\n//@ expect race_free;\n",
        ["no execution gets past line 4"],
    ),
}  # fmt: skip

ALIVE = {
    "the flag is set": kernel("while (f.load() == 0); x = 1;", "f.store(1);"),
    "sometimes": kernel("while (f.load() != 1);", "f.store(1); f.store(2);"),
    "relaxed": kernel("while (f.load(cuda::memory_order_relaxed) == 0);", "f.store(1, cuda::memory_order_relaxed);"),
    "by another path": kernel("if (g.load() == 1) while (f.load() == 0);", "g.store(1); f.store(1);"),
    "a wait that nobody gets to": kernel("if (g.load() == 1) while (f.load() == 0);", "g.store(2);"),
    "a loop without a way out": kernel("for (;;) f.load();", "for (;;) g.fetch_add(1);"),
    "a branch that nobody takes": kernel("if (f.load() == 1) x = 1;", "f.store(2);"),
    "code that is never executed": kernel("if (false) while (f.load() == 0);"),
    "a loop that may need more turns than are unrolled": kernel(
        "while (f.load() == 0);", "for (int i = 0; g.load() < 1; i++) { if (i == 5) { f.store(1); g.store(1); } }"
    ),
    "undefined behaviour": kernel("x = 1; while (f.load() == 0);", "x = 2;"),
    "an undefined operation": kernel("while (f.load() / g.load() == 0);", "f.store(0);"),
    "only the progress question": kernel("while (f.load() == 0);", asked="may_hang"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", DEAD)
def test_a_dead_end_is_said(name: str, write: Callable[..., Path]) -> None:
    text, messages = DEAD[name]
    assert said(write(text)) == messages


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ALIVE)
def test_nothing_else_is_said(name: str, write: Callable[..., Path]) -> None:
    assert said(write(ALIVE[name])) == []


def test_a_variant_is_named(write: Callable[..., Path]) -> None:
    text = kernel("while (f.load() != N);", "f.store(1);")
    path = write(f"constexpr int N = 1;\n{text}//@ vary N in {{1, 2, 3}};\n")
    assert said(path) == [f"no execution gets past line 5 when N = {n}" for n in (2, 3)]


def test_the_model_decides(write: Callable[..., Path]) -> None:
    """Two waits for what is written after them: values out of thin air end them where nothing forbids it."""
    text = kernel(
        "int r; while ((r = f.load(cuda::memory_order_relaxed)) == 0); g.store(r, cuda::memory_order_relaxed);",
        "int r; while ((r = g.load(cuda::memory_order_relaxed)) == 0); f.store(r, cuda::memory_order_relaxed);",
        asked="allowed f == 1",
    )
    assert len(said(write(text))) == 2
    assert said(write(f"{text}//@ options thin_air = off;\n")) == []


# ---------------------------------------------------------------- both engines


def agree(run: Run, jars: Jars, workers: Workers, folder: Path) -> int:
    """Asks both engines about every wait of a run; returns how many no execution gets past."""
    problem = questioned(run.problem, places(run))
    if not problem.questions:
        return 0
    specification = folder / f"{run.name}.als"
    specification.write_text(emit(problem), encoding="utf-8")
    instances = alloy_run.run(jars["alloy"], specification, workers, folder, 120).instances
    answers = solve(problem)
    assert answers is not None
    found = {name: choice is not None for name, choice in answers.items()}
    assert {name: text is not None for name, text in instances.items()} == found, run.source.text
    return sum(not holds for name, holds in found.items() if name.startswith("passed"))


@pytest.mark.sampled(1)
@pytest.mark.jvm
@pytest.mark.parametrize(
    "spec",
    ["host/two-devices.cu", "barriers/drop.cu", "cuda-execution-model/semaphore.cu", "algorithms/two-kernels.cu",
     "cuda-execution-model/query-deadlock.cu", "litmus-files/ptx-barriers-crossed.litmus", "barriers/latch.cu"],
)  # fmt: skip
def test_the_engines_agree_about_the_waits_of_a_spec(spec: str, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    for n, run in enumerate(plan(REPOSITORY / "specs" / spec, spec, Overrides(cache=True)).runs):
        (tmp_path / str(n)).mkdir()
        agree(run, jars, workers, tmp_path / str(n))


@pytest.mark.jvm
def test_the_engines_agree_about_random_waits(
    write: Callable[..., Path], jars: Jars, workers: Workers, tmp_path: Path
) -> None:
    dead = 0
    for seed in range(COUNT):
        (run,) = plan_of(write(test_wait_loops.program(random.Random(90_000 + seed)))).runs
        (tmp_path / str(seed)).mkdir()
        dead += agree(run, jars, workers, tmp_path / str(seed))
    assert dead


@pytest.mark.parametrize("first", range(0, COUNT, 20))
def test_where_everything_ends_there_is_no_dead_end(first: int, write: Callable[..., Path]) -> None:
    """The progress question goes through every schedule: if all of them end, each thread gets past all of its waits."""
    warned = 0
    for seed in range(first, first + 20):
        text = random_loops.program(random.Random(91_000 + seed), random_loops.SEQUENTIAL)
        path = write(f"{text}//@ expect race_free;\n", f"p{seed}.cu")
        (outcome,) = check([path], Settings(engine="embedded", timeout=20))
        ends = {c.verdict for r in outcome.reports for c in r.checks if c.expectation.kind == "terminates"}
        dead = [d for d in outcome.diagnostics if d.code is Code.DEAD_END]
        warned += bool(dead)
        assert not dead or ends <= {"violated", "unknown"}, text
    assert warned


def test_waits_that_are_known_to_be_passed_are_not_asked_about(write: Callable[..., Path]) -> None:
    """The executions that were found for the other questions tell of them."""
    (run,) = plan_of(write(ALIVE["the flag is set"])).runs
    answers = solve(run.problem)
    assert answers is not None

    def never(*_: object) -> Findings:
        raise AssertionError("nothing is asked")

    assert vacuous_waits(run, findings(run.problem, answers, "embedded", 0.0), never) == []


def test_no_answer_in_time_is_no_warning(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scopec.session.inquiry.vacuity._SECONDS", 0.0)
    assert said(write(DEAD["a value that nobody writes"][0])) == []


# ---------------------------------------------------------------- reports


@pytest.fixture
def outcomes(write: Callable[..., Path]) -> list[Outcome]:
    return check([write(DEAD["a value that nobody writes"][0])], Settings(engine="embedded"))


def test_every_report_shows_it(outcomes: list[Outcome]) -> None:
    assert_valid(outcomes)
    results = formats.Results(outcomes, 1.0, datetime(2026, 1, 2), 0, dict)
    written = {name: format_(results, True) for name, format_ in formats.TEXTS.items()}
    message = "no execution gets past line 4"
    (diagnostic,) = json.loads(written["json"])["diagnostics"]
    assert (diagnostic["code"], diagnostic["severity"], diagnostic["message"]) == ("SCP044", "warning", message)
    (result,) = json.loads(written["sarif"])["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("SCP044", "warning")
    assert message in (ElementTree.fromstring(written["junit"]).findtext(".//system-err") or "")
    assert message in written["github"]
    assert message in html.files(outcomes, 1.0)["program.html"]
    assert outcomes[0].exit_code == 0
