// A tile is stored in bulk, with a fence of the asynchronous proxy by the writer and by the issuer, each for every state space.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ alignas(16) int out[4];

__global__ void store() {
    alignas(16) __shared__ int tile[4];
    if (threadIdx.x == 1) {
        tile[0] = 1;
        ptx::fence_proxy_async();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::fence_proxy_async();
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

//@ launch store<<<1, 2>>>();
//@ expect race_free;
//@ expect required out[0] == 1;
