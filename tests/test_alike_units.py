"""Blocks that end by sure steps alone start in one order, and no answer changes: given programs, and random ones.

``SCOPEC_RANDOM_PROGRAMS`` sets how many.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scopec.engines.embedded.progress import alike_units
from scopec.engines.embedded.progress.exploring import Exploration
from scopec.engines.embedded.progress.fair_cycles import Answer, solve
from scopec.progress.reductions import Reductions
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import Overrides, plan
from tests.samples import programs

if TYPE_CHECKING:
    from scopec.progress.models import Property
    from scopec.session.inquiry.run import Run

HEAD = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> flag, other;
__device__ int out[8];
"""
#: How long one answer of a random program may take.
SECONDS = 0.5
MODELS = ("cuda", "cuda-resident", "cuda-in-order", "fair", "obe", "hsa", "hsa-obe", "lobe", "none")


def answer(run: Run, property_: Property = "Termination", seconds: float | None = None, **kept: bool) -> Answer:
    """With sure steps however few threads there are."""
    problem = progress_problem(run, property_)
    return solve(replace(problem, reductions=replace(Reductions(many=1), **kept)).system, property_, seconds)


def runs(text: str, folder: Path) -> tuple[Run, ...]:
    path = folder / "program.cu"
    path.write_text(text)
    return plan(path, path.name, Overrides()).runs


def kernel(body: str, blocks: int = 4, threads: int = 2, more: str = "") -> str:
    return (
        f"{HEAD}__global__ void k() {{ __shared__ int s[4]; {body} }}\n"
        f"//@ launch k<<<{blocks}, {threads}>>>();\n//@ expect terminates;\n{more}"
    )


def test_of_blocks_that_share_nothing_one_order_is_looked_at(tmp_path: Path) -> None:
    text = kernel("s[threadIdx.x] = 1; __syncthreads(); out[blockIdx.x] = s[1 - threadIdx.x];", 8)
    (run,) = runs(text, tmp_path)
    less, more = answer(run), answer(run, alike_units=False)
    assert less.holds
    assert more.holds
    assert less.states < 30
    assert more.states > 256


#: Where some block does not end by itself, who starts first matters: block 3 waits for a flag of block 1.
WAITS = "if (blockIdx.x == 1) flag.store(1); if (blockIdx.x == 3) while (flag.load() == 0);"
#: Some thread of block 2 does not come to the barrier, for which others wait.
LEFT = "if (blockIdx.x != 2 || threadIdx.x == 0) __syncthreads(); else while (flag.load() == 0);"


@pytest.mark.parametrize("body", [WAITS, LEFT])
def test_blocks_that_may_wait_start_in_any_order(body: str, tmp_path: Path) -> None:
    (run,) = runs(kernel(body), tmp_path)
    assert answer(run).holds is answer(run, alike_units=False).holds is False


def test_that_blocks_end_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Were they taken to, block 1 would always start before block 3."""
    (run,) = runs(kernel(WAITS, threads=1), tmp_path)
    assert answer(run).holds is False
    monkeypatch.setattr(alike_units, "_ends", lambda *_: True)
    assert answer(run).holds


def test_that_all_threads_come_to_the_same_barriers_is_needed(tmp_path: Path) -> None:
    """A barrier waits for threads that have exited, under a reading: no block with this one ends."""
    text = kernel("if (threadIdx.x == 0) {} __syncthreads();", more="//@ options exited_threads = hold;\n")
    for body, alike in ((text, 3), (text.replace("{}", "__syncthreads();"), 0)):
        (run,) = runs(body, tmp_path)
        problem = replace(progress_problem(run, "Termination"), reductions=Reductions(many=1))
        assert len(Exploration(problem.system, "Termination").unit_before) == alike
        assert answer(run).holds is (alike > 0)


def test_units_of_numbered_models_are_not_alike(tmp_path: Path) -> None:
    text = kernel("s[threadIdx.x] = 1; __syncthreads();", 3, 1)
    for model in MODELS:
        (run,) = runs(text.replace("terminates", f"terminates under {model}"), tmp_path)
        fewer = answer(run).states < answer(run, alike_units=False).states
        assert fewer == (model in ("cuda", "cuda-resident")), model


PARTS = (
    "s[threadIdx.x] = 1;",
    "__syncthreads();",
    "__syncthreads();",
    "__syncwarp();",
    "out[blockIdx.x] = threadIdx.x;",
    "for (int i = 0; i < 3; ++i) { s[threadIdx.x] = i; __syncthreads(); }",
    "if (s[1] > 0) __syncthreads();",
    "flag.store(1);",
    "while (flag.load() == 0);",
    "other.fetch_add(1);",
    "while (other.load() < 2);",
    "if (other.load() == 1) return;",
)


def random_text(seed: int) -> str:
    """Two kernels, in two streams or one after the other, whose blocks do their parts, some what the others do not."""
    chance = random.Random(seed)

    def part() -> str:
        found = chance.choice(PARTS[:7] if chance.random() < 0.7 else PARTS)
        where = chance.choice(["", "", "", "blockIdx.x == {}", "blockIdx.x > {}", "threadIdx.x == {}"])
        return f"if ({where.format(chance.randrange(3))}) {{ {found} }}" if where else found

    def body() -> str:
        return " ".join(part() for _ in range(chance.choice((1, 2, 3))))

    sizes = [(chance.choice((2, 2, 3)), chance.choice((1, 1, 2))) for _ in range(2)]
    second = chance.random() < 0.5
    apart = chance.random() < 0.5
    launches = f"    one<<<{sizes[0][0]}, {sizes[0][1]}{', 0, p' if apart else ''}>>>();\n"
    if second:
        launches += f"    two<<<{sizes[1][0]}, {sizes[1][1]}{', 0, q' if apart else ''}>>>();\n"
    streams = "    cudaStream_t p, q;\n    cudaStreamCreate(&p);\n    cudaStreamCreate(&q);\n" if apart else ""
    models = [*MODELS[:3], *(() if apart else chance.sample(MODELS[3:], 2))]
    places = "//@ given resident_blocks = 2;\n" if chance.random() < 0.3 and len(models) == 3 else ""
    hold = "//@ options exited_threads = hold;\n" if chance.random() < 0.3 else ""
    return (
        f"{HEAD}__global__ void one() {{ __shared__ int s[4]; {body()} }}\n"
        f"__global__ void two() {{ __shared__ int s[4]; {body()} }}\n"
        f"int main() {{\n{streams}{launches}    cudaDeviceSynchronize();\n}}\n{places}{hold}"
        f"//@ expect terminates under {', '.join(models)};\n"
    )


@pytest.mark.parametrize("seed", range(programs(6, 200)))
@pytest.mark.sampled(4)
def test_no_answer_changes(seed: int, tmp_path: Path) -> None:
    text = random_text(seed)
    for run in runs(text, tmp_path):
        for property_ in ("Termination", "Progress"):
            less, more = (answer(run, property_, SECONDS, alike_units=made) for made in (True, False))
            whole = answer(run, property_, SECONDS, alike_units=False, sure_steps=False)
            decided = {found.holds for found in (less, more, whole) if found.holds is not None}
            assert len(decided) <= 1, (run.name, property_, text)
            assert less.states <= more.states or more.holds is None
