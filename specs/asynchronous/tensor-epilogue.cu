// One warp multiplies into tensor memory twice, another loads the sum and gives the columns back, and the first multiplies there again.
// The two products are a pipeline, which needs nothing ("Pipelined tcgen05 Instructions", PTX ISA); else there are a
// commit and the fence behind the wait for it on the way there, wait::ld and a fence on either side of an arrival on the way back
// ("Non-pipelined instructions, different thread", PTX ISA). The arrival orders what is executed even where it is relaxed, as there.
#include <cstdint>
constexpr int WRONG = 0;       // 1: no wait::ld, 2: no fence before the arrival, 3: none after the wait for it, 4: nothing comes back

__device__ inline uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ inline uint64_t descriptor(const void* matrix) {
    return (at(matrix) & 0x3FFFF) >> 4 | (uint64_t)8 << 16 | (uint64_t)16 << 32 | (uint64_t)1 << 46;
}
__device__ inline void multiply(uint32_t d, uint32_t a, const void* b) {
    constexpr uint32_t SHAPE = 1 << 4 | 8 / 8 << 17 | 64 / 16 << 24;        // 64 rows, 8 columns, sums of 32 bits
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.b32 p, %4, 0;\n"
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p;\n"
                 "}\n" ::"r"(d), "r"(a), "l"(descriptor(b)), "r"(SHAPE), "r"(1) : "memory");
}
__device__ inline void commit(const uint64_t* bar) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(at(bar)) : "memory");
}
__device__ inline void wait(const uint64_t* bar, uint32_t parity) {
    uint32_t done = 0;
    while (!done)
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.b32 %0, 1, 0, p;\n"
                     "}\n" : "=r"(done) : "r"(at(bar)), "r"(parity) : "memory");
}
__device__ inline void after() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

__global__ void k() {
    alignas(128) __shared__ uint64_t b[32];
    __shared__ uint64_t full, empty;
    __shared__ uint32_t address;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&full)) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&empty)) : "memory");
    }
    if (threadIdx.x >= 32) asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(at(&address)) : "memory");
    __syncthreads();
    const uint32_t d = address;
    if (threadIdx.x == 0) {
        multiply(d, d + 8, b);
        multiply(d, d + 8, b);
        commit(&full);
        if (WRONG != 4) wait(&empty, 0);
        if (WRONG != 3) after();
        multiply(d, d + 8, b);
        commit(&full);
    } else if (threadIdx.x >= 32) {
        for (uint32_t turn = 0; turn < 2; turn++) {
            wait(&full, turn);
            after();
            uint32_t r[8];
            asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                         : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
                         : "r"(d | 32u << 16));
            if (WRONG != 1 || turn) asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
            if (WRONG != 2) asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
            if (turn) continue;
            asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(at(&empty)) : "memory");
        }
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(d) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    }
}

//@ launch k<<<1, 33>>>();
//@ vary WRONG in {0, 1, 2, 3, 4};
//@ expect race_free when WRONG == 0;
//@ expect race when WRONG != 0;
//@ expect terminates when WRONG == 0;
