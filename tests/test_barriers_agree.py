"""Barriers of every kind order the phases of random programs alike, and like one that is made of atomic operations."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.conftest import check_text, verdicts
from tests.samples import programs

pytestmark = pytest.mark.usefixtures("kept_machines")

COUNT = programs(3, 10)

HEAD = """#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
namespace cg = cooperative_groups;
__device__ int x, y;
__device__ cuda::atomic<int, cuda::thread_scope_block> z{0};
__device__ cuda::atomic<int, cuda::thread_scope_block> count{0};
"""

#: How to make a barrier of two threads ready, and how to pass it; ``{phase}`` is the number of the phase, from 1.
BARRIERS = {
    "syncthreads": ("", "__syncthreads();"),
    "a vote": ("", "(void)__syncthreads_or(1);"),
    "syncwarp": ("", "__syncwarp(0x3);"),
    "block": ("auto group = cg::this_thread_block();", "group.sync();"),
    "tile": ("auto group = cg::tiled_partition<2>(cg::this_thread_block());", "group.sync();"),
    "cluster": ("", "cg::this_cluster().sync();"),
    "barrier": (
        "__shared__ cuda::barrier<cuda::thread_scope_block> b; if (threadIdx.x == 0) init(&b, 2); __syncthreads();",
        "b.arrive_and_wait();",
    ),
    "barrier in two steps": (
        "__shared__ cuda::barrier<cuda::thread_scope_block> b; if (threadIdx.x == 0) init(&b, 2); __syncthreads();",
        "{{ auto token = b.arrive(); b.wait(std::move(token)); }}",
    ),
    "a counter": (
        "",
        "count.fetch_add(1, cuda::memory_order_acq_rel); while (count.load(cuda::memory_order_acquire) < 2 * {phase});",
    ),
}


def phases(chance: random.Random) -> tuple[list[list[str]], str]:
    """What each of two threads does in two or three phases, and a final state to ask for."""
    reads = [0, 0]
    found = []
    for _ in range(chance.choice((2, 2, 3))):
        step = []
        for thread in range(2):
            text = ""
            for _ in range(chance.choice((0, 1, 1, 2))):
                place = chance.choice("xxyz")
                if chance.random() < 0.5:
                    value = f"{chance.randint(1, 2)}"
                    text += (
                        f"z.store({value}, cuda::memory_order_relaxed); " if place == "z" else f"{place} = {value}; "
                    )
                else:
                    read = "z.load(cuda::memory_order_relaxed)" if place == "z" else place
                    text += f"r{reads[thread]} = {read}; "
                    reads[thread] += 1
            step.append(text)
        found.append(step)
    asked = [f"k[0][{t}].r{n} == {chance.randint(0, 2)}" for t in range(2) for n in range(reads[t])]
    return found, " && ".join(asked) or "x == 1"


def program(steps: list[list[str]], asked: str, barrier: str) -> str:
    prepare, cross = BARRIERS[barrier]
    locals_ = " ".join(f"int r{n} = 9;" for n in range(8))
    body = ""
    for number, (first, second) in enumerate(steps):
        body += f"  {cross.format(phase=number)}\n" if number else ""
        body += f"  if (threadIdx.x == 0) {{ {first}}} else {{ {second}}}\n"
    return (
        f"{HEAD}__global__ void k() {{\n  {locals_}\n  {prepare}\n{body}}}\n"
        f"//@ launch k<<<1, 2>>>();\n//@ options races = ignore;\n//@ expect race;\n//@ expect allowed {asked};\n"
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(COUNT))
def test_barriers_agree(seed: int, tmp_path: Path) -> None:
    steps, asked = phases(random.Random(seed))
    found = {}
    for barrier in BARRIERS:
        text = program(steps, asked, barrier)
        found[barrier] = verdicts([check_text(tmp_path, text, engine="embedded")])
        assert "unknown" not in {v for of_check in found[barrier].values() for v in of_check}, text
    assert len({str(sorted(f.items())) for f in found.values()}) == 1, (found, text)
