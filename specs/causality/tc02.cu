// Causality test case 2: two loads of x.  Java allows both to return 1, since a compiler may make them one; no compiler that is
// modelled here makes one of two atomic loads.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void tc02() {
    int r1, r2, r3;
    if (blockIdx.x == 0) {
        r1 = x.load(relaxed);
        r2 = x.load(relaxed);
        if (r1 == r2) y.store(1, relaxed);
    } else {
        r3 = y.load(relaxed);
        x.store(r3, relaxed);
    }
}

//@ launch tc02<<<2, 1>>>();
//@ expect race_free;
//@ expect forbidden tc02[0][0].r1 == 1 && tc02[0][0].r2 == 1 && tc02[1][0].r3 == 1;
