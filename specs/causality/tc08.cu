// Causality test case 8: x and y are 0 or 1, for which the expression is 1.  Java: allowed.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void tc08() {
    int r1, r3;
    if (blockIdx.x == 0) {
        r1 = x.load(relaxed);
        int r2 = 1 + r1 * r1 - r1;
        y.store(r2, relaxed);
    } else {
        r3 = y.load(relaxed);
        x.store(r3, relaxed);
    }
}

//@ launch tc08<<<2, 1>>>();
//@ expect race_free;
//@ expect allowed tc08[0][0].r1 == 1 && tc08[1][0].r3 == 1;
