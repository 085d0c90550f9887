// Causality test case 14: the second thread waits for either of two, one of which is written only after it has ended its wait.  y is
// volatile in Java, and seq_cst here.  Java: forbidden.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> a{0}, b{0}, y{0};

__global__ void tc14() {
    int r1, r2, r3;
    if (blockIdx.x == 0) {
        r1 = a.load(relaxed);
        if (r1 == 0) y.store(1); else b.store(1, relaxed);
    } else {
        do {
            r2 = y.load();
            r3 = b.load(relaxed);
        } while (r2 + r3 == 0);
        a.store(1, relaxed);
    }
}

//@ launch tc14<<<2, 1>>>();
//@ expect race_free;
//@ expect forbidden tc14[0][0].r1 == 1 && tc14[1][0].r3 == 1 && tc14[1][0].r2 == 0;
//@ expect allowed tc14[0][0].r1 == 0 && tc14[1][0].r3 == 0 && tc14[1][0].r2 == 1;
