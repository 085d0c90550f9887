// As tensor-stages.cu, but no thread waits for a product to give its stage back: its commit arrives at the mbarrier of empty stages, which
// the thread that loads waits for. So a load comes behind the product that reads what the load before has written there, though nothing
// that the second thread did itself comes before what waits for the commit. At the end the first thread waits for what is still to come.
#include <cstdint>
constexpr int WRONG = 0;       // 1: no wait for an empty stage, 2: no wait at the end, 3: what the second thread writes is read behind its commit
constexpr int STAGES = 2, TILES = 3, BYTES = 256;
__device__ alignas(16) uint64_t input[TILES][32];
__device__ uint32_t output;

__device__ inline uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ inline void init(uint64_t* bar, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(bar)), "r"(count) : "memory");
}
__device__ inline void wait(uint64_t* bar, uint32_t parity) {
    asm volatile("{\n"
                 ".reg .pred P1;\n"
                 "LAB_WAIT:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
                 "@P1 bra DONE;\n"
                 "bra LAB_WAIT;\n"
                 "DONE:\n"
                 "}" ::"r"(at(bar)), "r"(parity) : "memory");
}
__device__ inline void multiply(uint32_t d, uint32_t a, const void* b, uint32_t accumulate) {
    constexpr uint32_t SHAPE = 1 << 4 | 8 / 8 << 17 | 64 / 16 << 24;        // 64 rows, 8 columns, sums of 32 bits
    uint64_t descriptor = (at(b) & 0x3FFFF) >> 4 | (uint64_t)8 << 16 | (uint64_t)16 << 32 | (uint64_t)1 << 46;
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.b32 p, %4, 0;\n"
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p;\n"
                 "}\n" ::"r"(d), "r"(a), "l"(descriptor), "r"(SHAPE), "r"(accumulate) : "memory");
}
__device__ inline void commit(uint64_t* bar) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(at(bar)) : "memory");
}

__global__ void k() {
    alignas(128) __shared__ uint64_t stage[STAGES][32];
    __shared__ uint64_t full[STAGES], empty[STAGES], sum;
    __shared__ uint32_t address, tiles;
    const uint32_t warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        init(&sum, 1);
        for (int s = 0; s < STAGES; s++) {
            init(&full[s], 1);
            init(&empty[s], 1);
        }
    }
    if (warp == 2) asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(at(&address)) : "memory");
    __syncthreads();
    const uint32_t d = address;
    if (threadIdx.x == 0) {
        for (int t = 0; t < TILES; t++) {
            const int s = t % STAGES;
            if (WRONG != 1) wait(&empty[s], (t / STAGES & 1) ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(&full[s])), "r"(BYTES) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                         ::"r"(at(stage[s])), "l"(input[t]), "r"(BYTES), "r"(at(&full[s])) : "memory");
        }
        for (int t = TILES; WRONG != 2 && t < TILES + STAGES; t++) wait(&empty[t % STAGES], (t / STAGES & 1) ^ 1);
        if (WRONG == 3) output = tiles;
    } else if (threadIdx.x == 32) {
        if (WRONG == 3) tiles = TILES;
        for (int t = 0; t < TILES; t++) {
            const int s = t % STAGES;
            wait(&full[s], t / STAGES & 1);
            multiply(d, d + 8, stage[s], t > 0);
            commit(&empty[s]);
        }
        commit(&sum);
    } else if (warp == 2) {
        wait(&sum, 0);  // what reads the sum: tensor-stages.cu
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(d) : "memory");
    }
}

//@ launch k<<<1, 65>>>();
//@ vary WRONG in {0, 1, 2, 3};
//@ expect race_free when WRONG == 0;
//@ expect race when WRONG == 1;
//@ expect race when WRONG == 2;
//@ expect race on tiles when WRONG == 3;
//@ expect terminates when WRONG == 0;
