// Blocks meet at a barrier made of a counter.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void probe() {
    ref(state[0]).fetch_add(1, cuda::memory_order_acq_rel);
    while (ref(state[0]).load(cuda::memory_order_acquire) < gridDim.x);
}

//@ launch probe<<<3, 1>>>();
//@ expect terminates;
