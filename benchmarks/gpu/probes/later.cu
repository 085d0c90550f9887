// Each block waits for the one after it.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void probe() {
    if (blockIdx.x + 1 < gridDim.x) {
        while (ref(state[blockIdx.x + 1]).load(cuda::memory_order_relaxed) == 0);
    }
    ref(state[blockIdx.x]).store(1, cuda::memory_order_relaxed);
}

//@ launch probe<<<3, 1>>>();
//@ expect terminates;
