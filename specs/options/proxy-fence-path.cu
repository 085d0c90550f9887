// Two threads write a tile that one of them stores in bulk, and only the issuer fences between the proxies, behind the barrier. Whose
// fence covers a write to shared memory no text says: any on the way will do, as here.
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr bool ALL = false;    // both fence, before they meet

__device__ alignas(16) int out[8];

__global__ void k() {
    alignas(16) __shared__ int tile[8];
    tile[4 * threadIdx.x] = 1;
    if (ALL) ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (!ALL) ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

//@ launch k<<<1, 2>>>();
//@ vary ALL in {true, false};
//@ options proxy_fence = path;
//@ expect race_free;
//@ expect race_free under ptx;
