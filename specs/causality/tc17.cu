// Causality test case 17: the first thread writes 42 unless it has read that, and reads x again.  Java allows both reads to return 42 that went
// through the other thread, since a compiler may find that the second always does; here two atomic loads are two.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void tc17() {
    int r1, r2, r3;
    if (blockIdx.x == 0) {
        r3 = x.load(relaxed);
        if (r3 != 42) x.store(42, relaxed);
        r1 = x.load(relaxed);
        y.store(r1, relaxed);
    } else {
        r2 = y.load(relaxed);
        x.store(r2, relaxed);
    }
}

//@ launch tc17<<<2, 1>>>();
//@ expect race_free;
//@ expect forbidden tc17[0][0].r1 == 42 && tc17[0][0].r3 == 42 && tc17[1][0].r2 == 42;
//@ expect allowed tc17[0][0].r1 == 42 && tc17[0][0].r3 == 0 && tc17[1][0].r2 == 42;
