// Load buffering where nothing, something that a compiler can remove, or what was read is stored.  By default only dependencies
// that no compiler can remove forbid it: GPUs show the others.
#include <cuda/atomic>

// 0: 1; whatever was read: 1: 1, computed from it; 2: 1, to an element that is computed from it; 3: 1, on each side of a
// branch; 4: 1 if 1 was read
constexpr int STORES = 0;
constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x[2], y[2];

__global__ void lb() {
    int r;
    if (blockIdx.x == 0) {
        r = x[0].load(relaxed);
        if (STORES == 0) y[0].store(1, relaxed);
        if (STORES == 1) y[0].store(1 + (r ^ r), relaxed);
        if (STORES == 2) y[r & 0].store(1, relaxed);
        if (STORES == 3) { if (r == 1) y[0].store(1, relaxed); else y[0].store(1, relaxed); }
        if (STORES == 4) y[0].store(r == 1, relaxed);
    } else {
        r = y[0].load(relaxed);
        if (STORES == 0) x[0].store(1, relaxed);
        if (STORES == 1) x[0].store(1 + (r ^ r), relaxed);
        if (STORES == 2) x[r & 0].store(1, relaxed);
        if (STORES == 3) { if (r == 1) x[0].store(1, relaxed); else x[0].store(1, relaxed); }
        if (STORES == 4) x[0].store(r == 1, relaxed);
    }
}

//@ launch lb<<<2, 1>>>();
//@ vary STORES in {0, 1, 2, 3, 4};
//@ expect allowed lb[0][0].r == 1 && lb[1][0].r == 1 when STORES < 4 under cuda, ptx;
//@ expect forbidden lb[0][0].r == 1 && lb[1][0].r == 1 when STORES == 4 under cuda, ptx;
