// Load buffering. Nothing forbids it by default.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void lb() {
    if (blockIdx.x == 0) {
        int r0 = x.load(cuda::memory_order_relaxed);
        y.store(1, cuda::memory_order_relaxed);
    } else {
        int r1 = y.load(cuda::memory_order_relaxed);
        x.store(1, cuda::memory_order_relaxed);
    }
}

//@ launch lb<<<2, 1>>>();

