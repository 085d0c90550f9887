"""The overlays of CCCL, over more versions of it than the one that is installed.

`SCOPEC_CCCL=FOLDER:… pytest tests/test_cccl_versions.py` names folders with a libcu++: that of another toolkit, of a clone, or of
`pip install --no-deps --target FOLDER nvidia-cuda-cccl==13.0.*`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scopec.frontends.clang.flags import Flags
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.real_headers import needs_headers, toolkit

#: One program of all that is laid over: of each the right one and its sibling.
ALL = """#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
//@ vary BROKEN in {0, 1};
const int BROKEN = 0;
__device__ int message, behind, count, met[2], seen[2], tile[2];
__device__ cuda::atomic<int, BROKEN ? cuda::thread_scope_block : cuda::thread_scope_device> flag;
__device__ cuda::atomic<int, cuda::thread_scope_device> bell;
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 2> open_(1 + BROKEN);
__device__ cuda::latch<BROKEN ? cuda::thread_scope_block : cuda::thread_scope_device> both(2);
__global__ void atomic() {
    if (blockIdx.x == 0) { message = 1; flag.store(1, cuda::memory_order_release); }
    else { while (flag.load(cuda::memory_order_acquire) == 0); behind = message; }
}
__global__ void notify() {
    if (blockIdx.x == 0) { bell.store(1); if (BROKEN == 0) bell.notify_one(); }
    else bell.wait(0);
}
__global__ void semaphore() { open_.acquire(); count++; open_.release(); }
__global__ void latch() { met[blockIdx.x] = 1; both.arrive_and_wait(); seen[blockIdx.x] = met[1 - blockIdx.x]; }
__global__ void barrier() {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, 2 - BROKEN);
    __syncthreads();
    tile[threadIdx.x] = 1;
    bar.arrive_and_wait();
    seen[threadIdx.x] = tile[1 - threadIdx.x];
}
"""
ASKED = {
    "atomic": ("cooperative atomic<<<2, 1>>>()", "race_free"),
    "notify": ("cooperative notify<<<2, 1>>>()", "terminates"),
    "semaphore": ("cooperative semaphore<<<2, 1>>>()", "race_free"),
    "latch": ("cooperative latch<<<2, 1>>>()", "race_free"),
    "barrier": ("barrier<<<1, 2>>>()", "race_free"),
}


def folders() -> list[Path]:
    """The folder of the installed CCCL, and those that are named."""
    named = os.environ.get("SCOPEC_CCCL", "")
    return [toolkit().cccl, *map(Path, filter(None, named.split(os.pathsep)))]


@needs_headers
@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
@pytest.mark.sampled(1)
def test_every_version_has_the_meaning_that_is_laid_over_it(name: str, tmp_path: Path) -> None:
    launch, expected = ASKED[name]
    path = tmp_path / "p.cu"
    path.write_text(f"{ALL}//@ launch {launch}; expect {expected};\n")
    for folder in folders():
        flags = Flags((folder,), headers="real")
        (found,) = check([path], Settings(Overrides(flags=flags, cache=True), engine="embedded", timeout=300))
        assert [str(d) for d in found.diagnostics if d.severity == "error"] == []
        assert [c.verdict for r in found.reports for c in r.checks] == ["holds", "violated"], folder
