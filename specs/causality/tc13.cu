// Causality test case 13: load buffering with branches on both sides.  Java: forbidden.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void tc13() {
    int r1, r2;
    if (blockIdx.x == 0) {
        r1 = x.load(relaxed);
        if (r1 == 1) y.store(1, relaxed);
    } else {
        r2 = y.load(relaxed);
        if (r2 == 1) x.store(1, relaxed);
    }
}

//@ launch tc13<<<2, 1>>>();
//@ expect race_free;
//@ expect forbidden tc13[0][0].r1 == 1 && tc13[1][0].r2 == 1;
