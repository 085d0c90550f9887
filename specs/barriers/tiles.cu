// The tiles of a block: neighbouring lanes meet, lanes of two tiles do not.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int LANES = 4;

__device__ int data[4];

__global__ void tiles() {
    auto tile = cg::tiled_partition<LANES>(cg::this_thread_block());
    data[threadIdx.x] = 1;
    tile.sync();
    int other = data[threadIdx.x ^ 2];
}

//@ launch tiles<<<1, 4>>>();
//@ options races = ignore;
//@ vary LANES in {4, 2};
//@ expect race_free when LANES == 4;
//@ expect required tiles[0][3].other == 1 when LANES == 4;
//@ expect race on data when LANES == 2;
//@ expect allowed tiles[0][3].other == 0 when LANES == 2;
//@ expect terminates;
