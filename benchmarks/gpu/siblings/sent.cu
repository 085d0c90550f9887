// A store of another block into shared memory, that completes at an mbarrier there.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
constexpr int WAIT = 0;  // 0: the mbarrier, 1: the barrier of the cluster, 2: none

__device__ int out;

__global__ __cluster_dims__(2, 1, 1) void k() {
    __shared__ uint64_t bar;
    __shared__ int data;
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 0) {
        data = 0;
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 4);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    cluster.sync();
    if (cluster.block_rank() == 1) ptx::st_async(cluster.map_shared_rank(&data, 0), 1, cluster.map_shared_rank(&bar, 0));
    if (WAIT == 1) cluster.sync();
    if (cluster.block_rank() == 0) {
        if (WAIT == 0) while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {}
        out = data;
    }
    cluster.sync();
}

//@ launch k<<<2, 1>>>();
//@ vary WAIT in {0, 1, 2};
//@ expect race_free when WAIT == 0;
//@ expect race on data when WAIT != 0;
//@ expect required out == 1 when WAIT == 0;
