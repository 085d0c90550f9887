// A sum of a tile, handed over by the grid's barrier: broken, by the block's.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
const int BROKEN = 0;

namespace cg = cooperative_groups;
__device__ int sums[2], out;
__global__ void k() {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = cg::reduce(tile, 1, cg::plus<int>());
    if (tile.thread_rank() == 0) sums[blockIdx.x] = sum;
    if (BROKEN == 0) cg::this_grid().sync(); else cg::this_thread_block().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) out = sums[0] + sums[1];
}
//@ vary BROKEN in {0, 1};
//@ launch cooperative k<<<2, 32>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect required out == 64 when BROKEN == 0;
