// Causality test case 11: as the seventh, with a fourth location.  Java: allowed.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0}, z{0}, w{0};

__global__ void tc11() {
    int r1, r2, r3, r4;
    if (blockIdx.x == 0) {
        r1 = z.load(relaxed);
        w.store(r1, relaxed);
        r2 = x.load(relaxed);
        y.store(r2, relaxed);
    } else {
        r4 = w.load(relaxed);
        r3 = y.load(relaxed);
        z.store(r3, relaxed);
        x.store(1, relaxed);
    }
}

//@ launch tc11<<<2, 1>>>();
//@ expect race_free;
//@ expect allowed tc11[0][0].r1 == 1 && tc11[0][0].r2 == 1 && tc11[1][0].r3 == 1 && tc11[1][0].r4 == 1;
