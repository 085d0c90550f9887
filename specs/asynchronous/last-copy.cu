// A block does not end before its copies have done with its shared memory: somebody waits for each.
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr bool STORES = true;  // a copy out of shared memory, or into it
constexpr bool WAITS = true;

__device__ alignas(16) int in[4], out[4];

__global__ void k() {
    alignas(16) __shared__ int tile[4];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (STORES) {
        tile[0] = 1;
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
        if (WAITS) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    } else {
        init(&bar, 1);
        auto token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
        cuda::device::memcpy_async_tx(tile, in, cuda::aligned_size_t<16>(sizeof(tile)), bar);
        if (WAITS) bar.wait(std::move(token));
    }
}

//@ launch k<<<1, 1>>>();
//@ vary STORES in {true, false};
//@ vary WAITS in {true, false};
//@ expect race_free when WAITS;
//@ expect race when !WAITS;
