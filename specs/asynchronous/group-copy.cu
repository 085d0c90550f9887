// A block copies together: each wait is one of all of its threads.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
constexpr int LEFT = 0;        // copies that may be left when the wait returns; 2: no wait

__device__ int in[4], out[2];

__global__ void k() {
    __shared__ int tile[4];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, 2 * sizeof(int));
    cg::memcpy_async(block, tile + 2, in + 2, 2 * sizeof(int));
    if (LEFT == 0) cg::wait(block);
    if (LEFT == 1) cg::wait_prior<1>(block);
    out[threadIdx.x] = tile[LEFT == 1 ? 1 - threadIdx.x : 3 - threadIdx.x];
    if (LEFT != 0) cg::wait(block);  // before the block ends
}

//@ launch k<<<1, 2>>>();
//@ vary LEFT in {0, 1, 2};
//@ expect race_free when LEFT != 2;
//@ expect race when LEFT == 2;
