"""Small programs that take long without some reduction: ``python benchmarks/cliffs.py`` prints a table.

Each is asked by whole calls of ``scopec check --engine embedded --no-cache``, as it should be and broken: what the
verdict is, and CPU seconds of the call.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SHARED = """
#include <cuda/atomic>
__device__ int out[64];
__device__ cuda::atomic<int, cuda::thread_scope_device> go;
__global__ void k() {{
    __shared__ int tile[12];
    tile[threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 3) out[blockIdx.x] = tile[11];
    {more}
}}
//@ launch k<<<64, 12>>>();
//@ expect terminates;
"""

TURNS = """
#include <cuda/atomic>
__device__ int out[128];
__device__ cuda::atomic<int, cuda::thread_scope_device> go;
__global__ void k() {{
    for (int turn = 1200; turn > 0; turn -= 1) {{ }}
    {more}
    out[threadIdx.x] = 1;
}}
//@ launch k<<<1, 128>>>();
//@ expect terminates;
"""

RING = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> seat[18];
__global__ void k() {{
    int me = threadIdx.x;
    if (me == 0) seat[0].store(1);
    while (seat[me].load() == 0);
    {more}
    seat[(me + 1) % 18].store(1);
}}
//@ launch k<<<1, 18>>>();
//@ expect terminates;
"""

PUSH = """
#include <cuda/atomic>
__device__ int begin[6] = {{0, 3, 5, 6, 7, 7}}, next[7] = {{1, 2, 3, 3, 4, 4, 0}};
__device__ int queue[8], length, distance[5] = {{0, 7, 7, 7, 7}}, other[5];
__global__ void k() {{
    int own = threadIdx.x;
    for (int edge = begin[own]; edge < begin[own + 1]; edge++) {{
        int to = next[edge], far = atomicAdd(&distance[own], 0) + 1;
        {more}
        if (atomicMin(&distance[to], far) > far) queue[atomicAdd(&length, 1)] = to;
    }}
}}
//@ launch k<<<1, 2>>>();
//@ expect race_free;
"""

CLUSTER = """
#include <cooperative_groups.h>
__global__ void __cluster_dims__(2, 1, 1) k() {{
    __shared__ int seat[2];
    seat[threadIdx.x] = 1;
    asm volatile("barrier.cluster.arrive.{more}.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    auto cluster = cooperative_groups::this_cluster();
    *cluster.map_shared_rank(&seat[threadIdx.x], cluster.block_rank() ^ 1) = 2;
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}}
//@ launch k<<<2, 2>>>();
//@ expect race_free;
"""

VOTES = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> lock;
__device__ int counter;
__global__ void k() {{
    bool done = false;
    while (!__all_sync(3, done))
        if (!done && lock.exchange(1, cuda::memory_order_{more}) == 0) {{
            counter += 1;
            lock.store(0, cuda::memory_order_release);
            done = true;
        }}
}}
//@ launch k<<<2, 2>>>();
//@ expect race_free;
"""

SEATS = """
#include <cuda/atomic>
__device__ cuda::atomic<unsigned, cuda::thread_scope_{more}> door;
__device__ int guests, seat[6];
__global__ void k() {{
    unsigned open = 0;
    while (!door.compare_exchange_weak(open, 1, cuda::memory_order_acquire)) open = 0;
    seat[blockIdx.x * 3 + threadIdx.x] = guests++;
    door.store(0, cuda::memory_order_release);
}}
//@ launch k<<<2, 3>>>();
//@ expect race_free;
//@ expect required seat[0] + seat[1] + seat[2] + seat[3] + seat[4] + seat[5] == 15;
"""

STAGES = """
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int STAGES = 4, TILES = 8;
__device__ alignas(16) int in[TILES][32], out[TILES][64];
__device__ void wait(uint64_t* bar, unsigned parity) {{
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) {{ }}
}}
__global__ void k() {{
    alignas(16) __shared__ int tile[STAGES][32];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; ++s) {{
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], {more});
        }}
    __syncthreads();
    for (int i = 0; i < TILES; ++i) {{
        int s = i % STAGES, turn = i / STAGES & 1;
        if (threadIdx.x == 0) {{
            wait(&empty[s], turn ^ 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], 128);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[s], in[i], 128, &full[s]);
        }} else if (warp > 0) {{
            wait(&full[s], turn);
            out[i][threadIdx.x - 32] = tile[s][lane];
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (lane == 0) ptx::mbarrier_arrive(&empty[s]);
        }}
    }}
}}
//@ launch k<<<1, 96>>>();
//@ expect race_free;
//@ expect terminates;
"""

#: For each name the program, with what is put into it as it should be and broken.
PROGRAMS = {
    "64 blocks that share nothing": (SHARED, "", "if (blockIdx.x == 40) while (go.load() == 0);"),
    "1,200 empty turns, 128 threads": (TURNS, "", "if (threadIdx.x == 7) while (go.load() == 0);"),
    "a push of two threads along 5 edges": (PUSH, "", "other[to] = far;"),
    "a cluster's barrier in halves, 4 threads": (CLUSTER, "release", "relaxed"),
    "a ring of waits, 18 threads": (RING, "", "if (me == 11) return;"),
    "votes around a lock, up to the bound": (VOTES, "acquire", "relaxed"),
    "a ring of 4 stages, two warps of consumers": (STAGES, "2", "1"),
    "elements of six contenders for a lock": (SEATS, "device", "block"),
}


def measured(text: str, folder: Path, seconds: float) -> str:
    """The verdict of a program, and CPU seconds."""
    (folder / "program.cu").write_text(text, encoding="utf-8")
    command = (sys.executable, "-m", "scopec", "check", "program.cu", "--engine", "embedded", "--no-cache")
    before = os.times()
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)
        verdict = {0: "holds", 1: "violated"}.get(done.returncode, "unknown")
    except subprocess.TimeoutExpired:
        verdict = "no answer"
    after = os.times()
    taken = after.children_user + after.children_system - before.children_user - before.children_system
    return f"{verdict} {taken:.1f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of names; all without any")
    parser.add_argument("--seconds", type=float, default=60, help="of wall time, for a call")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, right, broken) in PROGRAMS.items():
            if not arguments.names or any(part in name for part in arguments.names):
                found = (measured(text.format(more=more), Path(folder), arguments.seconds) for more in (right, broken))
                print(f"{name:<44}", *(f"{one:>16}" for one in found), flush=True)


if __name__ == "__main__":
    main()
