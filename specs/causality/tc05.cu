// Causality test case 5: as the fourth, with a thread that could have written the 1 but did not.  Java: forbidden.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0}, z{0};

__global__ void tc05() {
    int r1, r2, r3;
    if (blockIdx.x == 0) {
        r1 = x.load(relaxed);
        y.store(r1, relaxed);
    } else if (blockIdx.x == 1) {
        r2 = y.load(relaxed);
        x.store(r2, relaxed);
    } else if (blockIdx.x == 2) {
        z.store(1, relaxed);
    } else {
        r3 = z.load(relaxed);
        x.store(r3, relaxed);
    }
}

//@ launch tc05<<<4, 1>>>();
//@ expect race_free;
//@ expect forbidden tc05[0][0].r1 == 1 && tc05[1][0].r2 == 1 && tc05[3][0].r3 == 0;
//@ expect allowed tc05[0][0].r1 == 1 && tc05[1][0].r2 == 1 && tc05[3][0].r3 == 1;
