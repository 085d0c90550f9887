// Causality test case 4: load buffering with data dependencies on both sides.  Java: forbidden.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void tc04() {
    int r1, r2;
    if (blockIdx.x == 0) {
        r1 = x.load(relaxed);
        y.store(r1, relaxed);
    } else {
        r2 = y.load(relaxed);
        x.store(r2, relaxed);
    }
}

//@ launch tc04<<<2, 1>>>();
//@ expect race_free;
//@ expect forbidden tc04[0][0].r1 == 1 && tc04[1][0].r2 == 1;
