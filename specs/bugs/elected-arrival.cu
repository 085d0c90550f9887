// NVIDIA/cudnn-frontend#426: all lanes of a warp fill a buffer in shared memory, and one of them arrives at the barrier that says
// so.  An arrival is a release of the thread that arrives; what its neighbours stored needs a `__syncwarp` before it.
#include <cuda/barrier>

constexpr bool SYNCHRONISED = true;

__device__ int out;

__global__ void load() {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier full;
    __shared__ int weights[2];
    if (threadIdx.x == 0) init(&full, 2);
    __syncthreads();
    if (threadIdx.x < 2) {
        weights[threadIdx.x] = 1;
        if (SYNCHRONISED) __syncwarp(0x3);
        if (threadIdx.x == 0) (void)full.arrive();
    } else {
        full.arrive_and_wait();
        out = weights[0] + weights[1];
    }
}

int main() {
    load<<<1, 3>>>();
    return cudaDeviceSynchronize();
}

//@ vary SYNCHRONISED in {true, false};
//@ expect race_free when SYNCHRONISED;
//@ expect required out == 2 when SYNCHRONISED;
//@ expect race on weights[1] when !SYNCHRONISED;
