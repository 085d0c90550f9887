// A release of block scope is read, at device scope, by a thread of another block.  The document amends the rules for
// fences with scopes; [atomics.order] it leaves alone.  scopec's default reads it as scoped too, so the two do not
// synchronise.  The flag `relayed` makes the reader come after the relay, or a race on `f` would hide the difference.
#include <cuda/atomic>

__device__ int x = 0, f = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> relayed{0};

__global__ void relay() {
    cuda::atomic_ref<int, cuda::thread_scope_block> near(f);
    cuda::atomic_ref<int, cuda::thread_scope_device> far(f);
    int r = 2;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        x = 1;
        near.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 0) {
        if (far.fetch_add(1, cuda::memory_order_relaxed) == 1) relayed.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 0) {
        if (relayed.load(cuda::memory_order_acquire) == 1 && far.load(cuda::memory_order_acquire) == 2) r = x;
    }
}

//@ launch relay<<<2, 2>>>();
//@ expect race on f;
//@ expect race on x;
