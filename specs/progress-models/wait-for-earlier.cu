// A block waits for one with a lower number: enough that the unfinished thread with the lowest number is owed progress,
// too little that those which have started are.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> ready{0};

__global__ void wait_for_earlier() {
    if (blockIdx.x == 0) {
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0);
    }
}

//@ launch wait_for_earlier<<<2, 1>>>();
//@ expect race_free;
//@ expect terminates under fair, hsa, hsa-obe, lobe, cuda-resident, cuda-in-order;
//@ expect may_hang under obe, none, cuda;
