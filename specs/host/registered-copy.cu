// Memory that is registered is pinned to a copy, from where it is registered on: a copy from it has arrived when the call
// returns, a copy from pageable memory may not have (CUDA runtime API, "API synchronization behavior").
#include <cuda_runtime.h>

constexpr int NEVER = 0, BEFORE = 1, UNTIL_BEFORE = 2;
constexpr int REGISTERED = BEFORE;

__device__ int target = 0;

__global__ void read(int* seen) { *seen = target; }

int main() {
    int source = 1;
    int *seen, *to;
    cudaMallocManaged(&seen, sizeof(int));
    cudaGetSymbolAddress((void**)&to, target);
    if (REGISTERED != NEVER) cudaHostRegister(&source, sizeof(source), cudaHostRegisterDefault);
    if (REGISTERED == UNTIL_BEFORE) cudaHostUnregister(&source);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemcpy(to, &source, sizeof(int), cudaMemcpyHostToDevice);
    read<<<1, 1, 0, stream>>>(seen);
    cudaDeviceSynchronize();
}

//@ vary REGISTERED in {0, 1, 2};
//@ expect race_free when REGISTERED == BEFORE;
//@ expect race on target when REGISTERED != BEFORE;
