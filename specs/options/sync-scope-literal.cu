// As sync-scope.cu, with [atomics.order] read literally: a release and an acquire synchronise whatever their scopes.
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
//@ options sync_scope = literal;
//@ expect race_free;
//@ expect forbidden relay[1][0].r == 0;
//@ expect allowed relay[1][0].r == 1;
