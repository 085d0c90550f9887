// Causality test case 9: as the eighth, but x may also be 2, for which the expression is 3.  Java allows it, since a compiler might
// know that the first thread never reads the 2; here what a location may ever hold counts.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

constexpr int X = 0;   // 2: test case 9a, where the 2 comes first

__device__ cuda::atomic<int, cuda::thread_scope_device> x{X}, y{0};

__global__ void tc09() {
    int r1, r3;
    if (blockIdx.x == 0) {
        r1 = x.load(relaxed);
        int r2 = 1 + r1 * r1 - r1;
        y.store(r2, relaxed);
    } else if (blockIdx.x == 1) {
        r3 = y.load(relaxed);
        x.store(r3, relaxed);
    } else {
        x.store(2 - X, relaxed);
    }
}

//@ launch tc09<<<3, 1>>>();
//@ vary X in {0, 2};
//@ expect race_free;
//@ expect forbidden tc09[0][0].r1 == 1 && tc09[1][0].r3 == 1;
