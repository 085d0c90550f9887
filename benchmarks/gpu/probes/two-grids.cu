// A grid waits for another one, which is launched after it in another stream.
#include <cuda/atomic>

#ifndef STATE
#define STATE 8
#endif
__device__ unsigned state[STATE];
using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

#define TWO_GRIDS

__global__ void probe() {
    while (ref(state[0]).load(cuda::memory_order_relaxed) == 0);
}

__global__ void other() {
    ref(state[0]).store(1, cuda::memory_order_relaxed);
}

#ifndef DRIVEN
int main() {
    cudaStream_t one, two;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    probe<<<2, 1, 0, one>>>();
    other<<<1, 1, 0, two>>>();
    cudaDeviceSynchronize();
}
#endif
//@ options api = returns;
//@ expect terminates;
