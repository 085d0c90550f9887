// A tile is loaded into both blocks of a cluster, over one that both have read.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
constexpr int READERS = 2;  // that are waited for

__device__ alignas(16) int in[2][4] = {{1, 1, 1, 1}, {2, 2, 2, 2}}, out[2];

__global__ __cluster_dims__(2, 1, 1) void k() {
    alignas(16) __shared__ int tile[4];
    __shared__ uint64_t full, empty;
    auto cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_init(&empty, READERS);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 16);
    cluster.sync();
    if (rank == 0) ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in[0], 16, &full, 3);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full, 0)) {}
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 16);
    out[rank] = tile[3];
    ptx::fence_proxy_async();
    if (READERS == 2 || rank == 0)
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&empty, 0));
    if (rank == 0) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &empty, 0)) {}
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in[1], 16, &full, 3);
    }
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full, 1)) {}
    cluster.sync();
}

//@ launch k<<<2, 1>>>();
//@ vary READERS in {2, 1};
//@ expect race_free when READERS == 2;
//@ expect race on tile when READERS == 1;
//@ expect required out[0] == 1 && out[1] == 1 when READERS == 2;
