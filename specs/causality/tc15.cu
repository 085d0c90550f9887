// Causality test case 15: as the fourteenth, where the first thread reads what the second writes only if a third has written x; x and y
// are volatile in Java, and seq_cst here.  Java: forbidden.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> a{0}, b{0}, x{0}, y{0};

__global__ void tc15() {
    int r0, r1 = 0, r2, r3;
    if (blockIdx.x == 0) {
        r0 = x.load();
        if (r0 == 1) r1 = a.load(relaxed);
        if (r1 == 0) y.store(1); else b.store(1, relaxed);
    } else if (blockIdx.x == 1) {
        do {
            r2 = y.load();
            r3 = b.load(relaxed);
        } while (r2 + r3 == 0);
        a.store(1, relaxed);
    } else {
        x.store(1);
    }
}

//@ launch tc15<<<3, 1>>>();
//@ expect race_free;
//@ expect forbidden tc15[0][0].r0 == 1 && tc15[0][0].r1 == 1 && tc15[1][0].r3 == 1 && tc15[1][0].r2 == 0;
//@ expect allowed tc15[0][0].r0 == 1 && tc15[1][0].r3 == 0 && tc15[1][0].r2 == 1;
