"""No value leaves the domains where a model has none out of thin air: it is not asked whether one does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from scopec.base.diagnostics import Code, InputError
from scopec.engines.embedded.memory.sat import solve
from scopec.memory.cat import registry
from scopec.memory.questions import Goal, Problem, Question
from scopec.session.inquiry.questions import known_values, memory_problem
from scopec.session.inquiry.run import Run
from scopec.session.plan import plan
from tests.samples import programs
from tests.specifications import KEPT, PROGRAMS, SPECS, some

Write = Callable[..., Path]

LEAVES = Question("overflow", Goal.OVERFLOW, "some write has a value beyond those that are modelled")
COUNT = programs(2, 4)


def leaves(run: Run) -> bool:
    """Whether some execution has a value outside the domains, where all that may be a dependency is one."""
    model = registry.load(run.model, run.settings.readings)
    domains = known_values(run, model)
    assert not domains.closed
    problem = Problem(run.name, lambda: (), run.base, model, run.model.name, domains, (LEAVES,), strict=True)
    answers = solve(problem)
    assert answers is not None
    return answers[LEAVES.name] is not None


def open_runs(path: Path, **overrides: str) -> list[Run]:
    return [run for run in plan(path, str(path), replace(KEPT, **overrides)).runs if not run.known.closed]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", some(PROGRAMS, 40), ids=lambda p: str(p.relative_to(SPECS)))
def test_nothing_leaves_the_domains_of_specifications(path: Path) -> None:
    for run in open_runs(path)[:4]:
        assert "overflow" not in {question.name for question in memory_problem(run).questions}
        assert not leaves(run)


STATEMENTS = (
    "int r = load(x); store(y, r + 1);", "int r = load(y); store(x, r * 2 + 1);", "x += 1;", "atomicAdd(&y, 3);",
    "int r = load(x); store(y, 1 + (r ^ r));", "int r = load(x); store(y, r <= 1 ? 1 : r);", "store(x, 2);",
    "int r = load(y); if (r > 2) store(x, r - 1); else store(y, r + 2);", "y = x + load(y);",
    "atomicCAS(&x, load(y), load(y) + 1);",
)  # fmt: skip
HEAD = """#include <cuda/atomic>
using Ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
__device__ int x, y;
__device__ int load(int& of) { return Ref(of).load(cuda::memory_order_relaxed); }
__device__ void store(int& of, int v) { Ref(of).store(v, cuda::memory_order_relaxed); }
"""


def random_program(seed: int) -> str:
    chance = Random(seed)
    threads = "".join(
        f"    if (blockIdx.x == {n}) {{ {' '.join(f'{{ {s} }}' for s in chance.choices(STATEMENTS, k=chance.choice((1, 2))))} }}\n"
        for n in range(chance.choice((2, 3)))
    )
    return f"{HEAD}__global__ void k() {{\n{threads}}}\n//@ launch k<<<3, 1>>>();\n//@ expect race_free;\n"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("model", ["cuda", "ptx", "rc11"])
@pytest.mark.parametrize("seed", range(COUNT))
def test_nothing_leaves_the_domains_of_random_programs(seed: int, model: str, write: Write) -> None:
    path = write(random_program(seed), "t.cu")
    try:
        found = open_runs(path, model=model)
    except InputError as wrong:  # a few have more combinations of values than are tabulated
        if {d.code for d in wrong.diagnostics} == {Code.TOO_LARGE}:
            return
        raise
    for run in found:
        assert not leaves(run)


@pytest.mark.sampled(0)
def test_some_random_programs_have_open_domains(write: Write) -> None:
    assert sum(bool(open_runs(write(random_program(seed), "t.cu"))) for seed in range(12)) >= 4


def test_where_values_come_out_of_thin_air_it_is_asked(write: Write) -> None:
    body = "if (blockIdx.x == 0) store(y, load(x) + 1); else store(x, load(y) + 1);"
    text = f"{HEAD}__global__ void k() {{ {body} }}\n//@ launch k<<<2, 1>>>();\n//@ expect race_free;\n"
    (run,) = open_runs(write(text, "t.cu"))
    assert not leaves(run)
    (run,) = open_runs(write(f"{text}//@ options thin_air = off;\n", "t.cu"))
    assert leaves(run)
    assert "overflow" in {question.name for question in memory_problem(run).questions}
