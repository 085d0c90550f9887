// A load over what the same thread has written there: program order is not enough between two proxies.
#include <cuda/barrier>
#include <cuda/ptx>
constexpr bool FENCES = true;

__device__ alignas(16) int in[4] = {7}, out;

__global__ void k() {
    alignas(16) __shared__ int tile[4];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    init(&bar, 1);
    tile[0] = 0;
    if (FENCES) cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    auto token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
    cuda::device::memcpy_async_tx(tile, in, cuda::aligned_size_t<16>(sizeof(tile)), bar);
    bar.wait(std::move(token));
    out = tile[0];
}

//@ launch k<<<1, 1>>>();
//@ vary FENCES in {true, false};
//@ expect race_free when FENCES;
//@ expect race on tile when !FENCES;
//@ expect race_free when FENCES under ptx;
//@ expect race on tile when !FENCES under ptx;
//@ expect required out == 7 when FENCES;
