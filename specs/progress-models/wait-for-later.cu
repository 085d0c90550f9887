// A block waits for one with a higher number: only fairness to every thread makes sure that it starts.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> ready{0};

__global__ void wait_for_later() {
    if (blockIdx.x == 1) {
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0);
    }
}

//@ launch wait_for_later<<<2, 1>>>();
//@ expect race_free;
//@ expect terminates under fair, cuda-resident;
//@ expect may_hang under obe, hsa, hsa-obe, lobe, none, cuda, cuda-in-order;
