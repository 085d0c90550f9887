// What a bulk copy has stored is read, and its source is written again.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int WAIT = 0;  // 0: for the copy, 1: for its reads, 2: in another thread, 3: for all but one group, 4: none
constexpr bool READS = true;

__device__ alignas(16) int out[16], seen = 1;

__global__ void k() {
    if (threadIdx.x % 32 != 0) return;
    alignas(16) __shared__ int tile[16];
    if (threadIdx.x == 0) {
        for (int n = 0; n < 16; n++) tile[n] = 1;
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
    }
    if (WAIT == 2) __syncthreads();
    if (threadIdx.x == 0) {
        if (WAIT == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
        if (WAIT == 1) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        if (WAIT == 3) ptx::cp_async_bulk_wait_group(ptx::n32_t<1>());
    }
    if (WAIT == 2 && threadIdx.x == 32) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    if (threadIdx.x == (WAIT == 2 ? 32 : 0)) {
        if (READS) seen = out[15];
        else tile[15] = 2;
    }
    if (WAIT == 2) __syncthreads();
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

//@ launch k<<<1, 64>>>();
//@ vary WAIT in {0, 1, 2, 3, 4};
//@ vary READS in {true, false};
//@ expect race_free when WAIT == 0 || (WAIT == 1 && !READS);
//@ expect race when WAIT > 1 || (WAIT == 1 && READS);
//@ expect required out[15] == 1 && seen == 1 when WAIT == 0 || (WAIT == 1 && !READS);
