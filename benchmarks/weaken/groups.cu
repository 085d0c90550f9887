// Two barriers of a grid where one is enough, and one of a block that is a warp, by way of cooperative groups.
#include <cooperative_groups.h>

__device__ int left[2];

__global__ void exchange() {
    __shared__ int own[2];
    auto grid = cooperative_groups::this_grid();
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    own[threadIdx.x] = blockIdx.x + 1;
    block.sync();
    if (threadIdx.x == 0) left[blockIdx.x] = own[1];
    grid.sync();
    grid.sync();
    int other = left[1 - blockIdx.x];
}

//@ launch cooperative exchange<<<2, 2>>>();
//@ expect race_free;
//@ expect required exchange[0][0].other == 2 && exchange[1][1].other == 1;
//@ expect terminates;
