// The last block waits for the one before it, and the first, where it finds that the last has begun, for the last.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void probe() {
    unsigned last = gridDim.x - 1;
    if (blockIdx.x == last) {
        ref(state[0]).store(1, cuda::memory_order_relaxed);
        while (last > 1 && ref(state[last - 1]).load(cuda::memory_order_relaxed) == 0);
    } else if (blockIdx.x == 0 && ref(state[0]).load(cuda::memory_order_relaxed) == 1) {
        while (ref(state[last]).load(cuda::memory_order_relaxed) == 0);
    }
    if (blockIdx.x > 0) ref(state[blockIdx.x]).store(1, cuda::memory_order_relaxed);
}

//@ launch probe<<<3, 1>>>();
//@ expect terminates;
