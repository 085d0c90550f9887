// Causality test case 12: what is read of the array depends on which element was overwritten.  Java forbids it, since no other
// thread accesses the array: so here, where it is a local variable, and part of what the thread computes.  What a thread reads of
// other memory may come from other threads; there the store depends on that read, and that read on none.
#include <cuda/atomic>

constexpr auto relaxed = cuda::memory_order_relaxed;

constexpr bool LOCAL = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};
__device__ int a[2] = {1, 2};

__global__ void tc12() {
    int r1, r2, r3, own[2] = {1, 2};
    if (blockIdx.x == 0) {
        r1 = x.load(relaxed);
        if (LOCAL) {
            own[r1 & 1] = 0;
            r2 = own[0];
        } else {
            a[r1 & 1] = 0;
            r2 = a[0];
        }
        y.store(r2, relaxed);
    } else {
        r3 = y.load(relaxed);
        x.store(r3, relaxed);
    }
}

//@ launch tc12<<<2, 1>>>();
//@ vary LOCAL in {true, false};
//@ expect race_free;
//@ expect forbidden tc12[0][0].r1 == 1 && tc12[1][0].r3 == 1 when LOCAL;
//@ expect allowed tc12[0][0].r1 == 1 && tc12[1][0].r3 == 1 when !LOCAL;
