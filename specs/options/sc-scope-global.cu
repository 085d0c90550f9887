// As sc-scope.cu, with one order of all seq_cst operations, whatever their scopes.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void sb() {
    int r;
    if (blockIdx.x == 0) {
        x.store(1, cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
        r = y.load(cuda::memory_order_relaxed);
    } else {
        y.store(1, cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
        r = x.load(cuda::memory_order_relaxed);
    }
}

//@ launch sb<<<2, 1>>>();
//@ options sc_scope = global;
//@ expect race_free;
//@ expect forbidden sb[0][0].r == 0 && sb[1][0].r == 0;
//@ expect allowed sb[0][0].r == 1 && sb[1][0].r == 1;
