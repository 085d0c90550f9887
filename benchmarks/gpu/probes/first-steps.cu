// A block whose first step came before that of the block before it waits for ever: first steps are in no order.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void probe() {
    unsigned mine = ref(state[0]).fetch_add(1, cuda::memory_order_relaxed);
    while (mine < blockIdx.x && ref(state[1]).load(cuda::memory_order_relaxed) == 0);
}

//@ launch probe<<<2, 1>>>();
//@ expect terminates;
