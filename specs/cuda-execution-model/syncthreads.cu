// __syncthreads under a condition: threads that have exited no longer hold up the barrier (PTX ISA, bar: it waits for
// all non-exited threads), a thread that waits elsewhere does.  Two of them, to which threads of one warp come, are undefined.
#include <cuda/atomic>

constexpr int OTHER = 0;

__device__ cuda::atomic<int, cuda::thread_scope_block> a{0};

__global__ void block() {
    if (threadIdx.x == 0) {
        if (OTHER == 0) {
            a.store(1, cuda::memory_order_relaxed);
            return;
        }
        while (a.load(cuda::memory_order_relaxed) == 0);
        if (OTHER == 2) __syncthreads();
    } else {
        if (OTHER == 2) a.store(1, cuda::memory_order_relaxed);
        __syncthreads();
        a.store(1, cuda::memory_order_relaxed);
    }
}

//@ launch block<<<1, 3>>>();
//@ vary OTHER in {0, 1, 2};
//@ expect race_free when OTHER != 2;
//@ expect terminates when OTHER == 0;
//@ expect may_hang when OTHER == 1;
//@ expect undefined when OTHER == 2;
