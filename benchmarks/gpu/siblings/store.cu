// Threads write a tile, and one stores it by a bulk copy.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int FENCE = 1;  // 0: none, 1: each writer, 2: the issuer, behind the barrier

__device__ alignas(16) int out[4];

__global__ void k() {
    alignas(16) __shared__ int tile[4];
    if (threadIdx.x % 32 > 1) return;
    tile[threadIdx.x / 16 + threadIdx.x % 32] = 1;
    if (FENCE == 1) ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (FENCE == 2) ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

//@ launch k<<<1, 64>>>();
//@ vary FENCE in {1, 0, 2};
//@ expect race_free when FENCE == 1;
//@ expect race on tile when FENCE != 1;
//@ expect required out[0] == 1 && out[1] == 1 && out[2] == 1 && out[3] == 1 when FENCE == 1;
