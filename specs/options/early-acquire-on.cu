// As early-acquire.cu, where an acquire need only flush before the next load or store (HRF0 paper, section 4.3; for group
// scope already the words of 4.2).
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
//@ options early_acquire = on;
//@ expect allowed early[0][0].r == 0 && early[0][1].r == 0 under hrf0-hw;
