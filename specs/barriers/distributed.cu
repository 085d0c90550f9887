// Shared memory of the other block in a cluster ("Distributed Shared Memory"): each block counts into the other's bins.  Without
// the first barrier the bins may not be there yet or be set to 0 afterwards, without the last one they may be gone.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

constexpr bool BEGUN = true;   // all blocks have begun before one accesses another's memory
constexpr bool ENDED = true;   // no block ends before that

__device__ int bins[2];

__global__ void __cluster_dims__(2, 1, 1) histogram() {
    __shared__ int bin;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned other = cluster.block_rank() ^ 1;
    if (threadIdx.x == 0) bin = 0;
    if (BEGUN) cluster.sync();
    atomicAdd(cluster.map_shared_rank(&bin, other), threadIdx.x + 1);
    if (ENDED) cluster.sync();
    if (ENDED && threadIdx.x == 0) bins[cluster.block_rank()] = bin;
}

//@ launch histogram<<<2, 2>>>();
//@ vary BEGUN in {true, false};
//@ vary ENDED in {true, false};
//@ expect race_free when BEGUN && ENDED under cuda, ptx;
//@ expect required bins[0] == 3 && bins[1] == 3 when BEGUN && ENDED under cuda, ptx;
//@ expect race on bin when !BEGUN;
//@ expect race when BEGUN && !ENDED;
//@ expect terminates;
