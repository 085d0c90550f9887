// What tiles of one warp exchange is their own: with a tile of two lanes each gets its neighbour's number.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
constexpr bool TILES = true;

__global__ void neighbours() {
    int lane = threadIdx.x;
    int r = TILES ? cg::tiled_partition<2>(cg::this_thread_block()).shfl_xor(lane + 1, 1) : __shfl_sync(0xf, lane + 1, 1);
    while (r != (lane ^ 1) + 1);
}

//@ launch neighbours<<<1, 4>>>();
//@ vary TILES in {true, false};
//@ expect required neighbours[0][2].r == 4 when TILES;
//@ expect terminates when TILES;
//@ expect may_hang when !TILES;
