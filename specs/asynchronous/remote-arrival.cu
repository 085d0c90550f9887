// An arrival from another block: the initialisation has to be shown to it, and both scopes have to be the cluster's.
#include <cstdint>
#include <cooperative_groups.h>
__device__ unsigned at(const void* p) { return __cvta_generic_to_shared(p); }
constexpr bool FENCED = true, WIDE = true;

__device__ int data, out;
__global__ __cluster_dims__(2, 1, 1) void k() {
    __shared__ uint64_t bar;
    unsigned rank; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0 && rank == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory");
    if (FENCED) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (rank == 1) {
        data = 1;
        unsigned remote;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(at(&bar)));
        if (WIDE) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(remote) : "memory");
        else asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" :: "r"(remote) : "memory");
    } else {
        int done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(&bar)) : "memory");
        out = data;
    }
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
//@ vary FENCED in {true, false};
//@ vary WIDE in {true, false};
//@ launch k<<<2, 1>>>();
//@ expect race_free when FENCED && WIDE;
//@ expect race when !FENCED || !WIDE;
