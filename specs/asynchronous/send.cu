// A store to another block by st.async is complete where the mbarrier says so: barrier.cluster does not wait for it
// ("barrier.cluster", PTX ISA: it orders no asynchronous operations).
#include <cstdint>
constexpr bool WAITS = true;

__device__ int out;

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned of(const void* p, unsigned rank) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(p)), "r"(rank));
    return there;
}
__device__ void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__global__ __cluster_dims__(2, 1, 1) void k() {
    __shared__ int message;
    __shared__ uint64_t bar;
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (rank == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4;" :: "r"(at(&bar)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    meet();
    if (rank == 1)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], 7, [%1];"
                     :: "r"(of(&message, 0)), "r"(of(&bar, 0)) : "memory");
    meet();
    if (rank == 0) {
        unsigned over = !WAITS;
        while (!over)
            asm volatile("{\n.reg .pred p;\n"
                         "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n"
                         "selp.b32 %0, 1, 0, p;\n}"
                         : "=r"(over) : "r"(at(&bar)) : "memory");
        out = message;
    }
    meet();
}

//@ launch k<<<2, 1>>>();
//@ vary WAITS in {true, false};
//@ expect race_free when WAITS;
//@ expect race on message when !WAITS;
//@ expect terminates;
