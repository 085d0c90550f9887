// A tile is divided into its even and its odd lanes.  Each part has a barrier of its own, and what its
// first lane writes the others of that part may read behind it.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
constexpr bool SYNCHRONISED = true;

__device__ int message[2], got[2];

__global__ void divide() {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    bool odd = threadIdx.x & 1;
    auto part = cg::binary_partition(tile, odd);
    if (part.thread_rank() == 0) message[odd] = threadIdx.x + 2;
    if (SYNCHRONISED)
        part.sync();
    else
        part.any(1);
    if (part.thread_rank() == 1) got[odd] = message[odd];
}

int main() {
    divide<<<1, 4>>>();
    return cudaDeviceSynchronize();
}

//@ vary SYNCHRONISED in {true, false};
//@ expect race_free when SYNCHRONISED;
//@ expect required got[0] == 2 && got[1] == 3 when SYNCHRONISED;
//@ expect race on message when !SYNCHRONISED;
//@ expect terminates;
