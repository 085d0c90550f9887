// What a barrier makes visible on the example hardware of HRF0: to its scope, so a warp's or a tile's to the block alone.
#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

constexpr int KIND = 0;

__device__ int x = 0, y = 0;

__global__ void k() {
    cuda::atomic_ref<int, cuda::thread_scope_device> data(x), flag(y);
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) x = 1;
        if (KIND == 0) __syncwarp(3);
        if (KIND == 1) cg::tiled_partition<2>(cg::this_thread_block()).sync();
        if (KIND == 2) __syncthreads();
        if (KIND == 3) __threadfence();
        if (threadIdx.x == 0) flag.store(1, cuda::memory_order_relaxed);
    } else if (threadIdx.x == 0) {
        int r = flag.load(cuda::memory_order_relaxed);
        int s = data.load(cuda::memory_order_relaxed);
    }
}

//@ launch k<<<2, 2>>>();
//@ options races = ignore;
//@ vary KIND in {0, 1, 2, 3};
//@ expect allowed k[1][0].r == 1 && k[1][0].s == 0 when KIND != 3 under hrf0-hw;
//@ expect forbidden k[1][0].r == 1 && k[1][0].s == 0 when KIND == 3 under hrf0-hw;
