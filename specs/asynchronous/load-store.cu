// A tile is loaded and stored elsewhere: both copies are of the asynchronous proxy, and need no fence, but a wait between them.
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr bool WAITS = true;
constexpr bool CHANGES = false;  // a thread changes the tile between them
constexpr bool FENCES = false;   // and fences

__device__ alignas(16) int in[4], out[4];

__global__ void k() {
    alignas(16) __shared__ int tile[4];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    init(&bar, 1);
    cuda::device::memcpy_async_tx(tile, in, cuda::aligned_size_t<16>(sizeof(tile)), bar);
    auto token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
    if (WAITS) bar.wait(std::move(token));
    if (CHANGES) tile[0] += 1;
    if (FENCES) ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

//@ launch k<<<1, 1>>>();
//@ vary WAITS in {true, false};
//@ vary CHANGES in {true, false};
//@ vary FENCES in {true, false};
//@ expect race_free when WAITS && (FENCES || !CHANGES);
//@ expect race on tile when !WAITS || (CHANGES && !FENCES);
