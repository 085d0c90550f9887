// HRF0 paper, section 4.2: a global acquire invalidates the cache of its group, whoever filled it.  One thread of block 0 has
// read x when block 1 writes it, the other reads it afterwards; all of it is ordered at device scope.
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
//@ expect race_free under hrf0;
//@ expect forbidden caches[0][1].r == 0 under hrf0;
//@ expect forbidden caches[0][1].r == 0 under hrf0-hw;
//@ expect allowed caches[0][1].r == 1 under hrf0-hw;
