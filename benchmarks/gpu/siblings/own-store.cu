// A thread stores a tile that it has written by a bulk copy.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr bool FENCES = true;

__device__ alignas(16) int out[4];

__global__ void k() {
    alignas(16) __shared__ int tile[4];
    for (int n = 0; n < 4; n++) tile[n] = 1;
    if (FENCES) ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

//@ launch k<<<1, 1>>>();
//@ vary FENCES in {true, false};
//@ expect race_free when FENCES;
//@ expect race on tile when !FENCES;
//@ expect required out[0] == 1 && out[1] == 1 && out[2] == 1 && out[3] == 1 when FENCES;
