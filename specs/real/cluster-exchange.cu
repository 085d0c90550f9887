// Two blocks of a cluster exchange sums in distributed shared memory; a block that ends takes its shared memory with it, so
// that both meet again after the read.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
constexpr bool STAYS = true;

__device__ int out[2];

__global__ void __cluster_dims__(2, 1, 1) sums() {
    __shared__ int sum;
    auto cluster = cg::this_cluster();
    unsigned other = cluster.block_rank() ^ 1;
    sum = cluster.block_rank() + 1;
    cluster.sync();
    out[blockIdx.x] = sum + *cluster.map_shared_rank(&sum, other);
    if (STAYS) cluster.sync();
}

int main() {
    sums<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary STAYS in {true, false};
//@ expect race_free when STAYS;
//@ expect required out[0] == 3 && out[1] == 3 when STAYS;
//@ expect race when !STAYS;
