"""The overlays of CCCL, part by part: a rule that is left out or altered is another answer in one of these.

Each is asked over scopec's own headers too, which say what it means.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real_headers import answers, needs_headers

SEQUENTIAL = """#include <cuda/atomic>
using flag_t = cuda::atomic<int, cuda::thread_scope_device>;
using ref_t = cuda::atomic_ref<int, cuda::thread_scope_device>;
#define STORES(NAME, CALL)                                                                                  \\
    __device__ int x_##NAME, y_##NAME;                                                                      \\
    __device__ flag_t z_##NAME[2];                                                                          \\
    __global__ void NAME() {                                                                                \\
        flag_t& z = z_##NAME[blockIdx.x];                                                                   \\
        int old = 0;                                                                                        \\
        ref_t(blockIdx.x ? y_##NAME : x_##NAME).store(1, cuda::memory_order_relaxed);                       \\
        CALL;                                                                                               \\
        int got = ref_t(blockIdx.x ? x_##NAME : y_##NAME).load(cuda::memory_order_relaxed);                 \\
    }
"""
MESSAGES = """#include <cuda/atomic>
using flag_t = cuda::atomic<int, cuda::thread_scope_device>;
constexpr auto ACQUIRE = cuda::memory_order_acquire, RELEASE = cuda::memory_order_release,
               RELAXED = cuda::memory_order_relaxed;
#define MESSAGE(NAME, FIRST, WRITE, READ)                                            \\
    __device__ int data_##NAME, out_##NAME;                                          \\
    __device__ flag_t flag_##NAME(FIRST);                                            \\
    __global__ void NAME() {                                                         \\
        flag_t& flag = flag_##NAME;                                                  \\
        int one = 1, none = 0;                                                       \\
        if (blockIdx.x == 0) { data_##NAME = 1; WRITE; }                             \\
        else if (READ) out_##NAME = data_##NAME;                                     \\
    }
"""
#: An operation; with its order as one that releases, and as one that acquires and finds that.
OPERATIONS = {
    "load": ("z.load()", 0, "flag.store(1, RELEASE)", "flag.load(ACQUIRE) == 1"),
    "store": ("z.store(1)", 0, "flag.store(1, RELEASE)", "flag.exchange(0, ACQUIRE) == 1"),
    "swap": ("z.exchange(1)", 0, "flag.exchange(1, RELEASE)", "flag.exchange(0, ACQUIRE) == 1"),
    "compare": (
        "z.compare_exchange_strong(old, 1)", 0, "flag.compare_exchange_strong(none, 1, RELEASE)",
        "flag.compare_exchange_strong(one, 2, ACQUIRE)",
    ),
    "failing": (
        "z.compare_exchange_weak(old, 1)", 0, "flag.compare_exchange_weak(none, 1, RELEASE)",
        "!flag.compare_exchange_strong(none, 2, RELAXED, ACQUIRE)",
    ),
    "sum": ("z.fetch_add(1)", 0, "flag.fetch_add(1, RELEASE)", "flag.fetch_add(0, ACQUIRE) == 1"),
    "both": ("z.fetch_and(1)", 3, "flag.fetch_and(1, RELEASE)", "flag.fetch_and(3, ACQUIRE) == 1"),
    "most": ("z.fetch_max(1)", 0, "flag.fetch_max(1, RELEASE)", "flag.fetch_max(0, ACQUIRE) == 1"),
    "least": ("z.fetch_min(1)", 1, "flag.fetch_min(0, RELEASE)", "flag.fetch_min(1, ACQUIRE) == 0"),
    "any": ("z.fetch_or(1)", 0, "flag.fetch_or(1, RELEASE)", "flag.fetch_or(0, ACQUIRE) == 1"),
    "one": ("z.fetch_xor(1)", 0, "flag.fetch_xor(1, RELEASE)", "flag.fetch_xor(0, ACQUIRE) == 1"),
}  # fmt: skip
STRONG = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> a;
__device__ int got[4];
__global__ void k() {
    int seen = 0, other = 5;
    got[0] = a.compare_exchange_strong(seen, 1);
    seen = 1;
    got[1] = a.compare_exchange_weak(seen, 2);
    got[2] = a.compare_exchange_strong(other, 3);
    got[3] = other - seen;
}
//@ launch k<<<1, 1>>>(); expect required got[0] == 1 && got[2] == 0; expect allowed got[1] == 0;
//@ expect allowed got[1] == 1 && got[3] == 1;
"""
BARRIERS = """#include <cuda/barrier>
#include <cuda/std/chrono>
using barrier_t = cuda::barrier<cuda::thread_scope_block>;
constexpr cuda::std::chrono::nanoseconds SOON(100);
#define AT (cuda::std::chrono::system_clock::now() + SOON)
#define MEETS(NAME, COUNT, FIRST, SECOND)                          \\
    __device__ int data_##NAME, out_##NAME = -1;                   \\
    __global__ void NAME() {                                       \\
        __shared__ barrier_t bar;                                  \\
        int& data = data_##NAME;                                   \\
        int& out = out_##NAME;                                     \\
        if (threadIdx.x == 0) init(&bar, COUNT);                   \\
        __syncthreads();                                           \\
        if (threadIdx.x == 0) { data = 1; FIRST; } else { SECOND; } \\
    }
MEETS(arrives, 2, bar.wait(bar.arrive(2)), bar.wait_parity(false); out = data)
MEETS(waits, 3, (void)bar.arrive(), auto t = bar.arrive(2); bar.wait(static_cast<decltype(t)&&>(t)); out = data)
MEETS(parity, 2, (void)bar.arrive(), bar.wait_parity(true); (void)bar.arrive(); bar.wait_parity(false); out = data)
MEETS(drops, 2, bar.arrive_and_drop(), bar.arrive_and_wait(); out = data; bar.arrive_and_wait(); out = 3)
MEETS(tries, 2, (void)bar.arrive(), if (bar.try_wait_for(bar.arrive(), SOON)) out = data; else out = 5)
MEETS(until, 2, (void)bar.arrive(), if (bar.try_wait_until(bar.arrive(), AT)) out = data; else out = 5)
MEETS(parity_tries, 1, (void)bar.arrive(), if (bar.try_wait_parity_for(false, SOON)) out = data; else out = 5)
MEETS(parity_until, 1, (void)bar.arrive(), if (bar.try_wait_parity_until(false, AT)) out = data; else out = 5)
__device__ long most;
__global__ void limit() { most = barrier_t::max(); }
//@ launch arrives<<<1, 2>>>(); launch waits<<<1, 2>>>(); launch parity<<<1, 2>>>(); launch drops<<<1, 2>>>();
//@ launch tries<<<1, 2>>>(); launch until<<<1, 2>>>(); launch parity_tries<<<1, 2>>>(); launch parity_until<<<1, 2>>>();
//@ launch limit<<<1, 1>>>();
//@ expect race_free; expect terminates;
//@ expect required out_arrives == 1 && out_waits == 1 && out_parity == 1 && out_drops == 3;
//@ expect allowed out_tries == 1; expect allowed out_tries == 5;
//@ expect allowed out_until == 1; expect allowed out_until == 5;
//@ expect allowed out_parity_tries == 1; expect allowed out_parity_tries == 5;
//@ expect allowed out_parity_until == 1; expect allowed out_parity_until == 5;
//@ expect required most == (1 << 20) - 1;
"""
#: A poll that ends at a time may find that it is over, or not; and goes on without a time.
POLLS = """#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda/std/chrono>
__device__ int in, out, early, late;
__global__ void k() {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    __shared__ int tile;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
    pipe.producer_acquire();
    cuda::memcpy_async(&tile, &in, sizeof(int), pipe);
    early = pipe.consumer_wait_for(cuda::std::chrono::nanoseconds(100));
    pipe.producer_commit();
    late = pipe.consumer_wait_for(cuda::std::chrono::nanoseconds(100));
    if (!late) pipe.consumer_wait();
    out = tile;
    pipe.consumer_release();
}
//@ launch k<<<1, 1>>>(); expect race_free; expect terminates; expect required early == 0;
//@ expect allowed late == 1; expect allowed late == 0;
"""
NOTIFIED = """#include <cuda/atomic>
const bool ALL = true;
//@ vary ALL in {true, false};
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__global__ void k() {
    if (blockIdx.x == 0) { flag.store(1); if (ALL) flag.notify_all(); else flag.notify_one(); }
    else flag.wait(0);
}
//@ launch cooperative k<<<3, 1>>>(); expect terminates when ALL; expect may_hang when !ALL;
"""


def sequential() -> str:
    """Over libcu++ each would be behind a fence, which orders what is before and behind it; C++ promises none."""
    kernels = "\n".join(f"STORES({name}, {call})" for name, (call, *_) in OPERATIONS.items())
    asked = "\n".join(
        f"//@ launch {name}<<<2, 1>>>(); expect allowed {name}[0][0].got == 0 && {name}[1][0].got == 0;"
        for name in OPERATIONS
    )
    return f"{SEQUENTIAL}{kernels}\n{asked}\n"


def messages() -> str:
    kernels = "\n".join(f"MESSAGE({name}, {', '.join(map(str, how))})" for name, (_, *how) in OPERATIONS.items())
    asked = "\n".join(f"//@ launch {name}<<<2, 1>>>(); expect allowed out_{name} == 1;" for name in OPERATIONS)
    return f"{MESSAGES}{kernels}\n{asked}\n//@ expect race_free;\n"


@needs_headers
@pytest.mark.slow
@pytest.mark.parametrize("text", [sequential(), messages(), STRONG, BARRIERS, POLLS, NOTIFIED])
def test_each_part_has_its_meaning(text: str, tmp_path: Path) -> None:
    own = {
        name: verdict for name, verdict in answers(text, "shims", tmp_path).items() if not name.startswith("indices")
    }
    assert set(own.values()) == {"holds"}
    theirs = answers(text, "real", tmp_path)
    assert {name: theirs.get(name) for name in own} == own
