// As hrf/hardware-caches.cu with selective invalidation (HRF0 paper, section 4.3).  A line that another thread of the group
// fetched is not one that the acquiring thread "touched"; it must not find it, or this program, which is free of
// heterogeneous races, would not be sequentially consistent.
#include <cuda/atomic>

__device__ int x = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0}, g{0};

__global__ void caches() {
    int r = 2;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        int before = x;
        f.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        if (f.load(cuda::memory_order_acquire) == 1) {
            x = 1;
            g.store(1, cuda::memory_order_release);
        }
    } else if (blockIdx.x == 0) {
        if (g.load(cuda::memory_order_acquire) == 1) r = x;
    }
}

//@ launch caches<<<2, 2>>>();
//@ options selective = on;
//@ expect forbidden caches[0][1].r == 0 under hrf0-hw;
//@ expect allowed caches[0][1].r == 1 under hrf0-hw;
