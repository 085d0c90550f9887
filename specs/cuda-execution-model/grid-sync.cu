// grid.sync() of a cooperative launch: all blocks are owed the steps that bring them to the barrier.  It waits for every
// thread of the grid, so a block that returns before it holds up the others for ever.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

constexpr bool RETURNS = false;

__managed__ int before[2] = {0, 0}, after[2] = {0, 0};

__global__ void both_sides() {
    if (RETURNS && blockIdx.x == 1) return;
    before[blockIdx.x] = 1;
    cg::this_grid().sync();
    after[blockIdx.x] = before[1 - blockIdx.x];
}

int main() {
    cudaLaunchCooperativeKernel((void*)both_sides, dim3(2), dim3(1), nullptr, 0, 0);
    return cudaDeviceSynchronize();
}

//@ vary RETURNS in {false, true};
//@ expect race_free;
//@ expect required after[0] == 1 && after[1] == 1 when !RETURNS;
//@ expect terminates when !RETURNS;
//@ expect may_hang when RETURNS;
