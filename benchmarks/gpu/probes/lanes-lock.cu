// The lanes of a warp take a lock, each as it comes.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

#define THREADS 32

__global__ void probe() {
    while (ref(state[blockIdx.x]).exchange(1, cuda::memory_order_acquire) == 1);
    ref(state[blockIdx.x]).store(0, cuda::memory_order_release);
}

//@ launch probe<<<1, 3>>>();
//@ expect terminates;
