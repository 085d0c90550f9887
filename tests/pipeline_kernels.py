"""Kernels of pipelines of producers and consumers, with constants that tests/pipelines.py defines."""

from __future__ import annotations

HEAD = """\
#include <cstdint>
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(uint64_t* bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(bar)), "r"(count) : "memory");
}
__device__ void arrive(uint64_t* bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(at(bar)) : "memory");
}
__device__ void expect(uint64_t* bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at(bar)), "r"(bytes) : "memory");
}
__device__ void wait(uint64_t* bar, unsigned parity) {
    asm volatile("{\\n.reg .pred p;\\n"
                 "again:\\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\\n"
                 "@p bra done;\\n"
                 "bra again;\\n"
                 "done:\\n}" :: "r"(at(bar)), "r"(parity) : "memory");
}
__device__ void load(int* to, const int* from, unsigned bytes, uint64_t* bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(at(to)), "l"(from), "r"(bytes), "r"(at(bar)) : "memory");
}
__device__ void store(int* to, const int* from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :: "l"(to), "r"(at(from)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
"""


_STAGES = """\
    alignas(16) __shared__ int tile[STAGES][4];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; ++s) {
            init(&full[s], FULL);
            init(&empty[s], EMPTY);
        }
    __syncthreads();
"""
_PRODUCER = """\
        for (int i = 0; i < TILES; ++i) {
            int s = i % STAGES;
            if (WAITS) wait(&empty[s], (i / STAGES & 1) ^ FIRST);
            expect(&full[s], BYTES);
            load(tile[s], in[i], sizeof(tile[s]), &full[s]);
        }
"""
_DATA = "__device__ alignas(16) int in[TILES][4], out[TILES][4];\n"

READS = f"""{_DATA}
__global__ void k() {{
{_STAGES}
    if (threadIdx.x == 0) {{
{_PRODUCER}
    }} else {{
        for (int i = 0; i < TILES; ++i) {{
            int s = i % STAGES;
            wait(&full[s], i / STAGES & 1);
            out[i][threadIdx.x] = tile[s][threadIdx.x];
            if (FENCES) fence();
            arrive(&empty[s]);
        }}
    }}
}}
"""

STATE = f"""{_DATA}
struct State {{
    int index = 0;
    unsigned phase;
    __device__ State(unsigned phase) : phase(phase) {{}}
    __device__ void operator++() {{
        if (++index == STAGES) {{
            index = 0;
            phase ^= 1;
        }}
    }}
}};
__global__ void k() {{
{_STAGES}
    if (threadIdx.x == 0) {{
        State write(FIRST);
        for (int i = 0; i < TILES; ++i, ++write) {{
            if (WAITS) wait(&empty[write.index], write.phase);
            expect(&full[write.index], BYTES);
            load(tile[write.index], in[i], sizeof(tile[0]), &full[write.index]);
        }}
    }} else {{
        State read(0);
        for (int i = 0; i < TILES; ++i, ++read) {{
            wait(&full[read.index], read.phase);
            out[i][0] = tile[read.index][0];
            if (FENCES) fence();
            arrive(&empty[read.index]);
        }}
    }}
}}
"""

CHANGES = f"""{_DATA}
__global__ void k() {{
{_STAGES}
    if (threadIdx.x == 0) {{
{_PRODUCER}
    }} else {{
        for (int i = 0; i < TILES; ++i) {{
            int s = i % STAGES;
            wait(&full[s], i / STAGES & 1);
            tile[s][0] += 1;
            out[i][0] = tile[s][0];
            if (FENCES) fence();
            arrive(&empty[s]);
        }}
    }}
}}
"""

STORES = f"""{_DATA}
__global__ void k() {{
{_STAGES}
    if (threadIdx.x == 0) {{
{_PRODUCER}
    }} else {{
        for (int i = 0; i < TILES; ++i) {{
            int s = i % STAGES;
            wait(&full[s], i / STAGES & 1);
            tile[s][0] *= 2;
            if (FENCES) fence();
            store(out[i], tile[s], sizeof(tile[s]));
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            arrive(&empty[s]);
        }}
    }}
}}
"""

ELECTED = f"""{_DATA}
__global__ void k() {{
{_STAGES}
    if (threadIdx.x == 0) {{
{_PRODUCER}
    }} else {{
        for (int i = 0; i < TILES; ++i) {{
            int s = i % STAGES;
            wait(&full[s], i / STAGES & 1);
            out[i][threadIdx.x] = tile[s][threadIdx.x];
            if (FENCES) fence();
            if (MEETS) __syncwarp(0b110);
            if (threadIdx.x == 1) arrive(&empty[s]);
        }}
    }}
}}
"""

OPERANDS = """\
__device__ alignas(16) int a[TILES][4], b[TILES][4], out;
__global__ void k() {
    alignas(16) __shared__ int tile_a[STAGES][4], tile_b[STAGES][4];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; ++s) {
            init(&full[s], FULL);
            init(&empty[s], EMPTY);
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < TILES; ++i) {
            int s = i % STAGES;
            if (WAITS) wait(&empty[s], (i / STAGES & 1) ^ FIRST);
            expect(&full[s], BYTES);
            load(tile_a[s], a[i], 16, &full[s]);
            load(tile_b[s], b[i], 16, &full[s]);
        }
    } else {
        int sum = 0;
        for (int i = 0; i < TILES; ++i) {
            int s = i % STAGES;
            wait(&full[s], i / STAGES & 1);
            sum += tile_a[s][0] * tile_b[s][0];
            if (FENCES) fence();
            arrive(&empty[s]);
        }
        out = sum;
    }
}
"""

PTX = """\
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ alignas(16) int in[TILES][4], out[TILES];
__global__ void k() {
    alignas(16) __shared__ int tile[STAGES][4];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; ++s) {
            ptx::mbarrier_init(&full[s], FULL);
            ptx::mbarrier_init(&empty[s], EMPTY);
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < TILES; ++i) {
            int s = i % STAGES;
            if (WAITS && i >= STAGES)
                while (!ptx::mbarrier_try_wait_parity(&empty[s], (i / STAGES & 1) ^ FIRST)) {}
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], BYTES);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[s], in[i], sizeof(tile[s]), &full[s]);
        }
    } else {
        for (int i = 0; i < TILES; ++i) {
            int s = i % STAGES;
            while (!ptx::mbarrier_try_wait_parity(&full[s], i / STAGES & 1)) {}
            out[i] = tile[s][0];
            if (FENCES) ptx::fence_proxy_async(ptx::space_shared);
            ptx::mbarrier_arrive(&empty[s]);
        }
    }
}
"""

BARRIERS = """\
#include <cuda/barrier>
#include <cuda/ptx>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ alignas(16) int in[TILES][4], out[TILES];
__global__ void k() {
    alignas(16) __shared__ int tile[STAGES][4];
    __shared__ barrier full[STAGES], empty[STAGES];
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; ++s) {
            init(&full[s], FULL);
            init(&empty[s], EMPTY);
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < TILES; ++i) {
            int s = i % STAGES;
            if (WAITS) empty[s].wait(empty[s].arrive());
            cuda::device::memcpy_async_tx(tile[s], in[i], cuda::aligned_size_t<16>(sizeof(tile[s])), full[s]);
            (void)cuda::device::barrier_arrive_tx(full[s], 1, BYTES);
        }
    } else {
        for (int s = 0; s < STAGES; ++s) (void)empty[s].arrive();
        for (int i = 0; i < TILES; ++i) {
            int s = i % STAGES;
            full[s].arrive_and_wait();
            out[i] = tile[s][0];
            if (FENCES) cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
            (void)empty[s].arrive();
        }
    }
}
"""

AHEAD = f"""{_DATA}
__global__ void k() {{
    alignas(16) __shared__ int tile[STAGES][4];
    __shared__ uint64_t full[STAGES];
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; ++s) init(&full[s], FULL);
    __syncthreads();
    if (threadIdx.x == 0) {{
        expect(&full[0], BYTES);
        load(tile[0], in[0], sizeof(tile[0]), &full[0]);
    }}
    for (int i = 0; i < TILES; ++i) {{
        if (threadIdx.x == 0 && i + 1 < TILES) {{
            int s = (i + 1) % STAGES;
            expect(&full[s], BYTES);
            load(tile[s], in[i + 1], sizeof(tile[s]), &full[s]);
        }}
        wait(&full[i % STAGES], (i / STAGES & 1) ^ !FIRST);
        out[i][threadIdx.x] = tile[i % STAGES][threadIdx.x];
        if (FENCES) fence();
        if (MEETS) __syncthreads();
    }}
}}
"""
