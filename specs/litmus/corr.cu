// Coherence of reads: two relaxed reads of one location never go back in its modification order; reads of two
// locations do.
#include <cuda/atomic>

constexpr bool SAME = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void corr() {
    if (blockIdx.x == 0) {
        if (!SAME) y.store(1, cuda::memory_order_relaxed);
        x.store(1, cuda::memory_order_relaxed);
    } else {
        int a = x.load(cuda::memory_order_relaxed);
        int b = SAME ? x.load(cuda::memory_order_relaxed) : y.load(cuda::memory_order_relaxed);
    }
}

//@ launch corr<<<2, 1>>>();
//@ vary SAME in {true, false};
//@ expect race_free;
//@ expect forbidden corr[1][0].a == 1 && corr[1][0].b == 0 when SAME;
//@ expect allowed corr[1][0].a == 1 && corr[1][0].b == 0 when !SAME;
