// All threads of a block write, and all let the next grid start; the first of them does it for the block.  Each needs a fence
// behind a barrier: one before the barrier covers what its own thread wrote alone.
#include <cuda_runtime.h>
constexpr int FENCE = 1;  // 0: none, 1: behind the barrier, 2: before it

__device__ int data[2], seen[2];

__global__ void write() {
    data[threadIdx.x] = 1;
    if (FENCE == 2) __threadfence();
    __syncthreads();
    if (FENCE == 1) __threadfence();
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void read() { seen[threadIdx.x] = data[1 - threadIdx.x]; }

int main() {
    write<<<1, 2>>>();
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 2;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, read);
    cudaDeviceSynchronize();
}

//@ vary FENCE in {0, 1, 2};
//@ expect race_free when FENCE == 1;
//@ expect race on data when FENCE != 1;
//@ expect terminates;
