// Global data that another block has written, behind a flag, is loaded in bulk: the fence between the proxies is the issuer's,
// behind its acquire; one in the writer is in another block than the copy.
#include <cuda/atomic>
#include <cuda/barrier>
constexpr int FENCE = 1;       // 0: none, 1: the issuer behind its acquire, 2: the writer before its release

__device__ alignas(16) int data[4];
__device__ cuda::atomic<int, cuda::thread_scope_device> ready{0};
__device__ int out;

__device__ void proxy_fence() { asm volatile("fence.proxy.async.global;" ::: "memory"); }

__global__ void k() {
    alignas(16) __shared__ int tile[4];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (blockIdx.x == 0) {
        data[0] = 1;
        if (FENCE == 2) proxy_fence();
        ready.store(1, cuda::memory_order_release);
        return;
    }
    init(&bar, 1);
    while (ready.load(cuda::memory_order_acquire) == 0) {}
    if (FENCE == 1) proxy_fence();
    auto token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
    cuda::device::memcpy_async_tx(tile, data, cuda::aligned_size_t<16>(sizeof(tile)), bar);
    bar.wait(std::move(token));
    out = tile[0];
}

//@ launch k<<<2, 1>>>();
//@ vary FENCE in {0, 1, 2};
//@ expect race_free when FENCE == 1;
//@ expect race on data when FENCE != 1;
//@ expect required out == 1 when FENCE == 1;
