// Causality test case 10: as the fifth, with branches.  Java: forbidden.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0}, z{0};

__global__ void tc10() {
    int r1, r2, r3;
    if (blockIdx.x == 0) {
        r1 = x.load(relaxed);
        if (r1 == 1) y.store(1, relaxed);
    } else if (blockIdx.x == 1) {
        r2 = y.load(relaxed);
        if (r2 == 1) x.store(1, relaxed);
    } else if (blockIdx.x == 2) {
        z.store(1, relaxed);
    } else {
        r3 = z.load(relaxed);
        if (r3 == 1) x.store(1, relaxed);
    }
}

//@ launch tc10<<<4, 1>>>();
//@ expect race_free;
//@ expect forbidden tc10[0][0].r1 == 1 && tc10[1][0].r2 == 1 && tc10[3][0].r3 == 0;
//@ expect allowed tc10[0][0].r1 == 1 && tc10[1][0].r2 == 1 && tc10[3][0].r3 == 1;
