// HRF0 paper, sections 3.3 and 4.2: x is handed on at block scope, then f at device scope, which HRF0 calls a race.  A global
// release flushes all dirty data of the group, so that this hardware does not show it.
#include <cuda/atomic>

constexpr bool BOTH = false;

__device__ int x = 0;
__device__ cuda::atomic<int, cuda::thread_scope_block> a{0};
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};

__global__ void relay() {
    int r = 3;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        x = 1;
        a.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 0) {
        if (BOTH) x = 2;
        if (a.load(cuda::memory_order_acquire) == 1) f.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 0) {
        if (f.load(cuda::memory_order_acquire) == 1) r = x;
    }
}

//@ launch relay<<<2, 2>>>();
//@ vary BOTH in {false, true};
//@ expect forbidden relay[1][0].r == 0 under hrf0-hw;
