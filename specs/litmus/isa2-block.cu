// ISA2: a message through two hops.  The first hop stays inside one block, so block scope is
// enough for it, although the second hop leaves the block: happens-before is transitive (isa2.cu: not across blocks).
#include <cuda/atomic>

constexpr cuda::thread_scope FIRST = cuda::thread_scope_block;

__device__ int x = 0;
__device__ cuda::atomic<int, FIRST> y{0};
__device__ cuda::atomic<int, cuda::thread_scope_device> z{0};

__global__ void isa2() {
    int a, r = 2;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        x = 1;
        y.store(1, cuda::memory_order_release);
    }
    if (blockIdx.x == 0 && threadIdx.x == 1) {
        a = y.load(cuda::memory_order_acquire);
        if (a == 1) z.store(1, cuda::memory_order_release);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        a = z.load(cuda::memory_order_acquire);
        if (a == 1) r = x;
    }
}

//@ launch isa2<<<2, 2>>>();
//@ options races = ignore;
//@ vary FIRST in {device, block};
//@ expect forbidden isa2[1][0].r == 0;
//@ expect race_free;
//@ expect allowed isa2[1][0].r == 1;
