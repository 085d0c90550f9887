// A tile that is copied to both blocks of a cluster is used again when the readers of both have arrived at the empty barrier
// of the block that copies.
#include <cstdint>
constexpr bool COUNTS_BOTH = true;

__device__ alignas(16) int in[8];
__device__ int out[2][2];

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(uint64_t* bar, unsigned parity) {
    unsigned over = 0;
    while (!over)
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
                     "selp.b32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(at(bar)), "r"(parity) : "memory");
}
__device__ void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__global__ __cluster_dims__(2, 1, 1) void k() {
    __shared__ alignas(16) int tile[4];
    __shared__ uint64_t full, empty;
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&full)) : "memory");
    if (rank == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(&empty)), "r"(COUNTS_BOTH ? 2 : 1) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    meet();
    for (int n = 0; n < 2; ++n) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" :: "r"(at(&full)) : "memory");
        if (rank == 0) {
            if (n) wait(&empty, 0);
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                         " [%0], [%1], 16, [%2], 3;" :: "r"(at(tile)), "l"(in + 4 * n), "r"(at(&full)) : "memory");
        }
        wait(&full, n & 1);
        out[rank][n] = tile[0];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        if (n == 0 && (COUNTS_BOTH || rank == 0)) {
            unsigned there;
            asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(at(&empty)));
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(there) : "memory");
        }
    }
    meet();
}

//@ launch k<<<2, 1>>>();
//@ vary COUNTS_BOTH in {true, false};
//@ expect race_free when COUNTS_BOTH;
//@ expect race on tile when !COUNTS_BOTH;
//@ expect terminates when COUNTS_BOTH;
