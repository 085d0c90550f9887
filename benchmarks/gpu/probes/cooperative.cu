// The same in a cooperative launch, which is of no more blocks than there are places for.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

#define COOPERATIVE

__global__ void probe() {
    ref(state[0]).fetch_add(1, cuda::memory_order_acq_rel);
    while (ref(state[0]).load(cuda::memory_order_acquire) < gridDim.x);
}

#ifndef DRIVEN
int main() {
    cudaLaunchCooperativeKernel((void *)probe, 2, 1, nullptr);
    cudaDeviceSynchronize();
}
#endif
//@ expect terminates;
