// The two blocks of each cluster wait for each other.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

#define UNIT 2

__global__ void __cluster_dims__(UNIT) probe() {
    unsigned mine = blockIdx.x / UNIT;
    ref(state[mine]).fetch_add(1, cuda::memory_order_relaxed);
    while (ref(state[mine]).load(cuda::memory_order_relaxed) < UNIT);
}

//@ launch probe<<<4, 1>>>();
//@ expect terminates;
