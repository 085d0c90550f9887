// HRF0 paper, sections 4.1 and 4.2: an acquire has flushed when it completes (invariant 2), so that the write of x, which
// nothing releases (a race), is to be seen by whoever comes after it.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__device__ int x = 0, y = 0;

__global__ void early() {
    int r = 2;
    if (threadIdx.x == 0) {
        x = 1;
        r = cuda::atomic_ref<int, S>(y).load(cuda::memory_order_acquire);
    } else {
        cuda::atomic_ref<int, S>(y).store(1, cuda::memory_order_release);
        r = cuda::atomic_ref<int, S>(x).load(cuda::memory_order_acquire);
    }
}

//@ launch early<<<1, 2>>>();
//@ vary S in {block, device};
//@ expect forbidden early[0][0].r == 0 && early[0][1].r == 0 under hrf0-hw;
