// Causality test case 3: as the second, with another thread that writes x.  Java: allowed; forbidden here for the same reason.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void tc03() {
    int r1, r2, r3;
    if (blockIdx.x == 0) {
        r1 = x.load(relaxed);
        r2 = x.load(relaxed);
        if (r1 == r2) y.store(1, relaxed);
    } else if (blockIdx.x == 1) {
        r3 = y.load(relaxed);
        x.store(r3, relaxed);
    } else {
        x.store(2, relaxed);
    }
}

//@ launch tc03<<<3, 1>>>();
//@ expect race_free;
//@ expect forbidden tc03[0][0].r1 == 1 && tc03[0][0].r2 == 1 && tc03[1][0].r3 == 1;
