// Causality test case 6: whatever the second thread reads, it stores 1.  Java: allowed.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> a{0}, b{0};

__global__ void tc06() {
    int r1, r2;
    if (blockIdx.x == 0) {
        r1 = a.load(relaxed);
        if (r1 == 1) b.store(1, relaxed);
    } else {
        r2 = b.load(relaxed);
        if (r2 == 1) a.store(1, relaxed);
        if (r2 == 0) a.store(1, relaxed);
    }
}

//@ launch tc06<<<2, 1>>>();
//@ expect race_free;
//@ expect allowed tc06[0][0].r1 == 1 && tc06[1][0].r2 == 1;
