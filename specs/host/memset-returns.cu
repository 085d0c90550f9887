// "The cudaMemset functions are asynchronous with respect to the host except when the target memory is pinned host memory.
// The Async versions are always asynchronous with respect to the host."  (CUDA runtime API, "API synchronization behavior")
#include <cuda_runtime.h>

constexpr int DEVICE = 0, MANAGED = 1, PINNED = 2;
constexpr int MEMORY = PINNED;
constexpr bool ASYNC = false;

__global__ void read(int* from, int* to) { *to = *from; }

int main() {
    int *memory, *seen;
    if (MEMORY == DEVICE) cudaMalloc(&memory, sizeof(int));
    if (MEMORY == MANAGED) cudaMallocManaged(&memory, sizeof(int));
    if (MEMORY == PINNED) cudaMallocHost(&memory, sizeof(int));
    cudaMallocManaged(&seen, sizeof(int));
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (ASYNC) cudaMemsetAsync(memory, 1, sizeof(int));
    if (!ASYNC) cudaMemset(memory, 1, sizeof(int));
    read<<<1, 1, 0, stream>>>(memory, seen);
    cudaDeviceSynchronize();
}

//@ options races = ignore;
//@ vary MEMORY in {0, 1, 2};
//@ vary ASYNC in {false, true};
//@ expect race_free when MEMORY == PINNED && !ASYNC;
//@ expect required seen == 0x01010101 when MEMORY == PINNED && !ASYNC;
//@ expect race on memory when MEMORY != PINNED || ASYNC;
//@ expect allowed seen == 0 when MEMORY != PINNED || ASYNC;
//@ expect terminates;
