// A lane of a warp waits for another one, on the other arm of a branch.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

#define THREADS 32

__global__ void probe() {
    if (threadIdx.x == 0) {
        while (ref(state[blockIdx.x]).load(cuda::memory_order_relaxed) == 0);
    } else if (threadIdx.x == blockDim.x - 1) {
        ref(state[blockIdx.x]).store(1, cuda::memory_order_relaxed);
    }
}

//@ launch probe<<<1, 2>>>();
//@ expect terminates;
