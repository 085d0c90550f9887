"""Two groups of consumers that take turns by named barriers, behind mbarriers of two pipelines, as FlashAttention-3's."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.session.check import Settings, check

#: A lane that loads keys and values, and two warps: each waits for its turn, and gives it to the other.
PROGRAM = """#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int STAGES = 2, TILES = 2;
__device__ alignas(16) int keys[TILES][32], values[TILES][32];
__device__ int sink[64];
__device__ void wait(std::uint64_t* b, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(b, parity)) {}
}
__device__ void load(void* to, const void* from, std::uint64_t* full) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full, 128);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, 128, full);
}
__device__ void multiply(const int* matrix) {
    __any_sync(0xFFFFFFFF, 0);
    sink[threadIdx.x - 32] += matrix[threadIdx.x % 32];
}
__device__ void release(std::uint64_t* empty) {
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(empty);
}
__device__ void turn(int id) { asm volatile("bar.sync %0, 64;" :: "r"(id) : "memory"); }
__device__ void hand_over(int id) { asm volatile("bar.arrive %0, 64;" :: "r"(id) : "memory"); }
__global__ void attention() {
    __shared__ alignas(16) int k[STAGES][32], v[STAGES][32];
    __shared__ std::uint64_t full_k[STAGES], empty_k[STAGES], full_v[STAGES], empty_v[STAGES];
    int group = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            ptx::mbarrier_init(&full_k[s], 1);
            ptx::mbarrier_init(&full_v[s], 1);
            ptx::mbarrier_init(&empty_k[s], 2);
            ptx::mbarrier_init(&empty_v[s], 2);
        }
    }
    __syncthreads();
    if (group == 0) {
        if (threadIdx.x != 0) return;
        for (int t = 0; t < TILES; t++) {
            wait(&empty_k[t % STAGES], (t / STAGES & 1) ^ 1);
            load(k[t % STAGES], keys[t], &full_k[t % STAGES]);
            wait(&empty_v[t % STAGES], (t / STAGES & 1) ^ 1);
            load(v[t % STAGES], values[t], &full_v[t % STAGES]);
        }
        return;
    }
    if (group == 1) hand_over(1);
    wait(&full_k[0], 0);
    multiply(k[0]);
    release(&empty_k[0]);
    for (int t = 1; t < TILES; t++) {
        int s = t % STAGES, before = (t - 1) % STAGES;
        if (group == 1) wait(&full_k[s], t / STAGES & 1);
        turn(group);
        multiply(k[s]);
        if (group == 1) wait(&full_v[before], (t - 1) / STAGES & 1);
        multiply(v[before]);
        hand_over(3 - group);
        release(&empty_k[s]);
        release(&empty_v[before]);
    }
    wait(&full_v[(TILES - 1) % STAGES], (TILES - 1) / STAGES & 1);
    multiply(v[(TILES - 1) % STAGES]);
    release(&empty_v[(TILES - 1) % STAGES]);
}
//@ launch attention<<<1, 96>>>();
"""

#: What is wrong, what is expected of it, and the verdict.
WRONG = {
    "nothing": ("", "", "race_free", "holds"),
    "no first turn": ("    if (group == 1) hand_over(1);\n", "", "terminates", "violated"),
}


@pytest.mark.sampled(0)
@pytest.mark.parametrize("name", WRONG)
def test_turns(name: str, tmp_path: Path) -> None:
    old, new, asked, verdict = WRONG[name]
    assert old in PROGRAM
    path = tmp_path / "attention.cu"
    path.write_text(f"{PROGRAM.replace(old, new)}//@ expect {asked};\n")
    (outcome,) = check([path], Settings(engine="embedded"))
    assert [c.verdict for c in outcome.reports[0].checks if not c.expectation.implicit] == [verdict]
