// A block that finds that the next one has started waits for what it does next.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void probe() {
    ref(state[2 * blockIdx.x]).store(1, cuda::memory_order_relaxed);
    if (blockIdx.x + 1 < gridDim.x && ref(state[2 * blockIdx.x + 2]).load(cuda::memory_order_relaxed) == 1) {
        while (ref(state[2 * blockIdx.x + 3]).load(cuda::memory_order_relaxed) == 0);
    }
    ref(state[2 * blockIdx.x + 1]).store(1, cuda::memory_order_relaxed);
}

//@ launch probe<<<3, 1>>>();
//@ expect terminates;
