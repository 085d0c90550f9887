// Data in a cluster's shared memory is handed over by an arrival at another block's mbarrier.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
constexpr int ARRIVE = 0, WAIT = 0;  // 0: of the cluster's scope, 1: of the block's, 2: relaxed

__device__ int out;

__global__ __cluster_dims__(2, 1, 1) void k() {
    __shared__ uint64_t bar;
    __shared__ int data;
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 0) {
        data = 0;
        ptx::mbarrier_init(&bar, 1);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    cluster.sync();
    if (cluster.block_rank() == 1) {
        *cluster.map_shared_rank(&data, 0) = 1;
        uint64_t* there = cluster.map_shared_rank(&bar, 0);
        if (ARRIVE == 0) ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, there);
        if (ARRIVE == 1) {
            const unsigned at = __cvta_generic_to_shared(there);
            asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" :: "r"(at) : "memory");
        }
        if (ARRIVE == 2) ptx::mbarrier_arrive(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster, there);
    } else {
        if (WAIT == 0) while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {}
        if (WAIT == 1) while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, 0)) {}
        if (WAIT == 2) while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cluster, &bar, 0)) {}
        out = data;
    }
    cluster.sync();
}

//@ launch k<<<2, 1>>>();
//@ vary ARRIVE in {0, 1, 2};
//@ vary WAIT in {0, 1, 2};
//@ expect race_free when ARRIVE == 0 && WAIT == 0;
//@ expect race on data when ARRIVE != 0 || WAIT != 0;
//@ expect required out == 1 when ARRIVE == 0 && WAIT == 0;
