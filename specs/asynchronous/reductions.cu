// Bulk reductions are atomic by element, in the asynchronous proxy: two of them do not race, one and an atomicAdd do.
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr bool BULK = true;    // both blocks add in bulk

__device__ alignas(16) int sum[4];

__global__ void k() {
    alignas(16) __shared__ int tile[4];
    if (BULK || blockIdx.x == 0) {
        tile[0] = tile[1] = tile[2] = tile[3] = 1;
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sum, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    } else {
        atomicAdd(&sum[0], 1);
    }
}

//@ launch k<<<2, 1>>>();
//@ vary BULK in {true, false};
//@ expect race_free when BULK;
//@ expect race on sum when !BULK;
//@ expect required sum[0] == 2 && sum[3] == 2 when BULK;
