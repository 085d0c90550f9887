// Causality test case 18: the first thread writes 42 if it has read 0, and reads x again.  Java allows both reads to return 42 that went
// through the other thread, since a compiler may find that the second always does; here two atomic loads are two.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void tc18() {
    int r1, r2, r3;
    if (blockIdx.x == 0) {
        r3 = x.load(relaxed);
        if (r3 == 0) x.store(42, relaxed);
        r1 = x.load(relaxed);
        y.store(r1, relaxed);
    } else {
        r2 = y.load(relaxed);
        x.store(r2, relaxed);
    }
}

//@ launch tc18<<<2, 1>>>();
//@ expect race_free;
//@ expect forbidden tc18[0][0].r1 == 42 && tc18[0][0].r3 == 42 && tc18[1][0].r2 == 42;
//@ expect allowed tc18[0][0].r1 == 42 && tc18[0][0].r3 == 0 && tc18[1][0].r2 == 42;
