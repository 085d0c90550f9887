// What comes after the end of memory in program order or in stream order is no race, and undefined all the same: an access, a
// second free, a free of what was never allocated.  "After this API returns, accessing the memory from any subsequent work
// launched on the GPU [...] results in undefined behavior" (CUDA runtime API, cudaFreeAsync).
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int RIGHT = 0, USED = 1, USED_IN_STREAM = 2, TWICE = 3, INSIDE = 4, BY_ANOTHER = 5, RETURNED = 6;
constexpr int WHAT = RIGHT;

__global__ void add(int* data) { atomicAdd(data, 1); }

int* local() {
    int own = 1;
    return &own;
}

int main() {
    int* data;
    cudaMallocManaged(&data, 2 * sizeof(int));
    int* ordered;
    cudaMallocAsync(&ordered, sizeof(int), 0);
    add<<<1, 1>>>(ordered);
    cudaFreeAsync(ordered, 0);
    if (WHAT == USED_IN_STREAM) add<<<1, 1>>>(ordered);
    add<<<1, 1>>>(data);
    cudaDeviceSynchronize();
    if (WHAT == INSIDE) cudaFree(data + 1);
    else if (WHAT == BY_ANOTHER) free(data);
    else cudaFree(data);
    if (WHAT == USED) *data = 2;
    if (WHAT == TWICE) cudaFree(data);
    if (WHAT == RETURNED) *local() = 2;
}

//@ vary WHAT in {0, 1, 2, 3, 4, 5, 6};
//@ expect race_free;
//@ expect undefined when WHAT != RIGHT;
