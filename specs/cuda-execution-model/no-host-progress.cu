// "If the host implementation provides concurrent forward progress, then CUDA C++ provides parallel forward progress for
// device threads": without it, nothing is promised to either.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_block> flag{0};

__global__ void one_block() {
    if (threadIdx.x == 0) {
        while (flag.load(cuda::memory_order_relaxed) == 0);
    } else {
        flag.store(1, cuda::memory_order_relaxed);
    }
}

//@ launch one_block<<<1, 2>>>();
//@ options host_progress = none;
//@ expect race_free;
//@ expect may_hang;
