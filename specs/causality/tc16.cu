// Causality test case 16: each thread reads what the other writes after it.  Java allows it of plain variables; atomics are coherent.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0};

__global__ void tc16() {
    int r1, r2;
    if (blockIdx.x == 0) {
        r1 = x.load(relaxed);
        x.store(1, relaxed);
    } else {
        r2 = x.load(relaxed);
        x.store(2, relaxed);
    }
}

//@ launch tc16<<<2, 1>>>();
//@ expect race_free;
//@ expect forbidden tc16[0][0].r1 == 2 && tc16[1][0].r2 == 1;
