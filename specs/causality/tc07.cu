// Causality test case 7: the store of x depends on nothing, and may come first.  Java: allowed.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0}, z{0};

__global__ void tc07() {
    int r1, r2, r3;
    if (blockIdx.x == 0) {
        r1 = z.load(relaxed);
        r2 = x.load(relaxed);
        y.store(r2, relaxed);
    } else {
        r3 = y.load(relaxed);
        z.store(r3, relaxed);
        x.store(1, relaxed);
    }
}

//@ launch tc07<<<2, 1>>>();
//@ expect race_free;
//@ expect allowed tc07[0][0].r1 == 1 && tc07[0][0].r2 == 1 && tc07[1][0].r3 == 1;
