// Another block's shared memory is there only while that block runs: all meet before the first access and after the last
// ("distributed shared memory", CUDA C++ Programming Guide).
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
constexpr bool BEFORE = true, AFTER = true;

__device__ int out[2];

__global__ __cluster_dims__(2, 1, 1) void k() {
    __shared__ int own;
    cg::cluster_group cluster = cg::this_cluster();
    own = 1;
    if (BEFORE) cluster.sync();
    out[cluster.block_rank()] = *cluster.map_shared_rank(&own, cluster.block_rank() ^ 1);
    if (AFTER) cluster.sync();
}

//@ launch k<<<2, 1>>>();
//@ vary BEFORE in {true, false};
//@ vary AFTER in {true, false};
//@ expect race_free when BEFORE && AFTER;
//@ expect race when !BEFORE || !AFTER;
