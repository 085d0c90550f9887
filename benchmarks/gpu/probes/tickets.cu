// Blocks take a lock in the order in which they drew tickets.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void probe() {
    unsigned mine = ref(state[0]).fetch_add(1, cuda::memory_order_relaxed);
    while (ref(state[1]).load(cuda::memory_order_acquire) != mine);
    ref(state[1]).store(mine + 1, cuda::memory_order_release);
}

//@ launch probe<<<3, 1>>>();
//@ expect terminates;
