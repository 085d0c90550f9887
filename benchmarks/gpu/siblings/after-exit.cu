// A block reads shared memory of another block of its cluster, which may have ended.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
constexpr bool STAYS = true;

__device__ int out;

__global__ __cluster_dims__(2, 1, 1) void k() {
    __shared__ int data;
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 0) data = 1;
    cluster.sync();
    if (cluster.block_rank() == 1) out = *cluster.map_shared_rank(&data, 0);
    if (STAYS) cluster.sync();
}

//@ launch k<<<2, 1>>>();
//@ vary STAYS in {true, false};
//@ expect race_free when STAYS;
//@ expect race when !STAYS;
//@ expect required out == 1 when STAYS;
