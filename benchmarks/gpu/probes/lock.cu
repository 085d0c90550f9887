// Blocks take a lock in turn, as it comes.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void probe() {
    while (ref(state[0]).exchange(1, cuda::memory_order_acquire) == 1);
    ref(state[0]).store(0, cuda::memory_order_release);
}

//@ launch probe<<<3, 1>>>();
//@ expect terminates;
