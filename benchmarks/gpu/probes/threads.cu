// The threads of a block wait for each other at a counter.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

#define THREADS 1024

__global__ void probe() {
    ref(state[blockIdx.x]).fetch_add(1, cuda::memory_order_relaxed);
    while (ref(state[blockIdx.x]).load(cuda::memory_order_relaxed) < blockDim.x);
}

//@ launch probe<<<1, 2>>>();
//@ expect terminates;
