"""Threads that take one way are executed without what joins ways: the graphs are those of the general execution.

``SCOPEC_RANDOM_PROGRAMS`` sets how many random programs are tried (CONTRIBUTING.md names the command for the full
sweep).
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from scopec.base.diagnostics import InputError
from scopec.memory.graph import build
from scopec.memory.unfold import straight
from scopec.memory.unfold.symbolic import ThreadRun
from tests import random_blocks, random_indices
from tests.conftest import program_of
from tests.samples import programs

COUNT = programs(6, 40)
HEAD = """#include <cuda/atomic>
__device__ int x, y, a[8];
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};
"""


def graph(text: str, unroll: int = 2) -> str:
    """The graph of a program with every register observed, or what is refused."""
    program = program_of(text)
    every = [(thread.name, register) for thread in program.threads for register in thread.body.variables]
    try:
        found = build(program, unroll, every)
    except InputError as error:
        return error.diagnostics[0].message
    return repr(replace(found, unrolled=0))


def same(text: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the graph is the one of the general execution."""
    with monkeypatch.context() as patch:
        patch.setattr(straight, "executed", lambda *_: False)
        general = graph(text)
    return graph(text) == general


def general_runs(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many threads the general execution is needed for."""
    count, run = [0], ThreadRun.run

    def counted(self: ThreadRun, *given: object) -> None:
        count[0] += 1
        run(self, *given)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(ThreadRun, "run", counted)
        graph(text)
    return count[0]


def kernel(body: str, threads: int = 2) -> str:
    return f"{HEAD}__global__ void k() {{ int t = threadIdx.x; {body} }}\n//@ launch k<<<1, {threads}>>>();\n"


@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.sampled(4)
def test_graphs_of_random_kernels(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (random_blocks.text(seed), random_indices.text(seed, 1)):
        assert same(text, monkeypatch), text


#: For each what it does not do, or do as often, on one way.
OTHERS = {
    "a branch on a read": "if (f.load() == 1) x = 1;",
    "a loop that waits": "while (f.load() != 1); x = 1;",
    "a place that is not there": "int at = 3; at += 9; a[at] = 1; y = 1;",
    "a loop that does not end": "while (true) f.store(1);",
    "a loop that does nothing and does not end": "f.store(1); while (true) f.load();",
    "a long loop": "for (int i = 0; i < 200; ++i) if (i % 100 == t) x = i;",
    "more events than one thread may have": "for (int i = 0; i < 71; ++i) for (int j = 0; j < 71; ++j) f.store(j);",
}


ONE_WAY = {
    "a tree of sums": "for (int i = 2; i > 0; i /= 2) { if (t < i) a[t] += a[t + i]; __syncthreads(); }",
    "exchanges of lanes": "int sum = a[t]; sum += __shfl_down_sync(15, sum, 1); a[t] = sum;",
    "a place that may not be there": "a[f.load()] = 1; y = 1;",
    "a wait": "f.wait(0); x = 1;",
    "a vote": "if (t < 2) a[0] = 1; y = __any_sync(15, t == 1);",
    "an exchange": "y = f.exchange(t);",
}


@pytest.mark.parametrize(("name", "threads", "general"), [*((n, 2, 2) for n in OTHERS), *((n, 4, 0) for n in ONE_WAY)])
@pytest.mark.sampled(3)
def test_what_takes_more_ways_is_left_to_the_general_execution(
    name: str, threads: int, general: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = kernel((OTHERS | ONE_WAY)[name], threads)
    assert same(text, monkeypatch)
    assert general_runs(text, monkeypatch) == general


@pytest.mark.parametrize(("more", "runs"), [("", 0), ("if (one == 1) y = two;", 2)])
def test_operands_in_no_order_are_numbered_as_they_come(more: str, runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each evaluation once, here of a vector, also where a thread turns out to take more ways after one."""
    read = 'int one, two; asm volatile("ld.global.v2.s32 {%0, %1}, [%2];" : "=r"(one), "=r"(two) : "l"(a));'
    text = kernel(f"{read} {more}")
    assert same(text, monkeypatch)
    assert general_runs(text, monkeypatch) == runs
