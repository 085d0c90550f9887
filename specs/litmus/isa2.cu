// ISA2: a message through two hops.  Each hop at a scope that includes both of its threads: a stale
// read of x is forbidden.  The first hop at block scope does not reach across blocks.
#include <cuda/atomic>

constexpr cuda::thread_scope FIRST = cuda::thread_scope_device;

__device__ int x = 0;
__device__ cuda::atomic<int, FIRST> y{0};
__device__ cuda::atomic<int, cuda::thread_scope_device> z{0};

__global__ void isa2() {
    int a, r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        y.store(1, cuda::memory_order_release);
    }
    if (blockIdx.x == 1) {
        a = y.load(cuda::memory_order_acquire);
        if (a == 1) z.store(1, cuda::memory_order_release);
    }
    if (blockIdx.x == 2) {
        a = z.load(cuda::memory_order_acquire);
        if (a == 1) r = x;
    }
}

//@ launch isa2<<<3, 1>>>();
//@ options races = ignore;
//@ vary FIRST in {device, block};
//@ expect forbidden isa2[2][0].r == 0 when FIRST == device;
//@ expect race_free when FIRST == device;
//@ expect allowed isa2[2][0].r == 0 when FIRST == block;
//@ expect race when FIRST == block;
