// Blocks that start in order need not take their first steps in order: the second may look before the first has said
// that it is there, and the third after.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> there{0}, late{0};

__global__ void first_steps() {
    if (blockIdx.x == 0) {
        there.store(1, cuda::memory_order_relaxed);
    } else if (there.load(cuda::memory_order_relaxed) == 0) {
        if (blockIdx.x == 1) {
            while (late.load(cuda::memory_order_relaxed) == 0);
        } else {
            late.store(1, cuda::memory_order_relaxed);
        }
    }
}

//@ launch first_steps<<<3, 1>>>();
//@ expect race_free;
//@ expect may_hang under cuda-in-order, cuda-resident;
