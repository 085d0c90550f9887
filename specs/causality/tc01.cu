// Causality test case 1 of the Java memory model, with relaxed atomics: x and y are never negative, so that the branch decides
// nothing.  Java: allowed.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void tc01() {
    int r1, r2;
    if (blockIdx.x == 0) {
        r1 = x.load(relaxed);
        if (r1 >= 0) y.store(1, relaxed);
    } else {
        r2 = y.load(relaxed);
        x.store(r2, relaxed);
    }
}

//@ launch tc01<<<2, 1>>>();
//@ expect race_free;
//@ expect allowed tc01[0][0].r1 == 1 && tc01[1][0].r2 == 1;
