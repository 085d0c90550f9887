// What the two blocks of the sleeper (docs/forward-progress.md) read: it hangs where neither sees the other. Relaxed, that
// is wrongly said to be forbidden; with seq_cst it is.
#include <cuda/atomic>

constexpr cuda::memory_order ORDER = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void sleeper() {
    if (blockIdx.x == 0) {
        x.store(1, ORDER);
        int r0 = y.load(ORDER);
    } else {
        y.store(1, ORDER);
        int r1 = x.load(ORDER);
    }
}

//@ launch sleeper<<<2, 1>>>();
//@ vary ORDER in {relaxed, seq_cst};
//@ expect forbidden sleeper[0][0].r0 == 0 && sleeper[1][0].r1 == 0;
