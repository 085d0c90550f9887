// All threads write a tile that one of them stores in bulk: the copy is of the asynchronous proxy, and each writer fences its own
// writes before it signals ("fence.proxy.async", PTX ISA; the CUDA programming guide's example of bulk copies).
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int FENCE = 1;       // 0: none, 1: each writer before they meet, 2: the issuer behind it

__device__ alignas(16) int out[8];

__global__ void k() {
    alignas(16) __shared__ int tile[8];
    tile[4 * threadIdx.x] = 1;
    if (FENCE == 1) ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (FENCE == 2) ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

//@ launch k<<<1, 2>>>();
//@ vary FENCE in {0, 1, 2};
//@ expect race_free when FENCE == 1;
//@ expect race on tile when FENCE != 1;
//@ expect race_free when FENCE != 0 under ptx;
//@ expect race on tile when FENCE == 0 under ptx;
