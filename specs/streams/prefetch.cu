// A prefetch accesses nothing, and comes in the order of its stream: in the legacy stream between what two blocking streams
// do, in the reader's own stream behind nothing of the writer's.
#include <cuda_runtime.h>
constexpr bool LEGACY = true;

__managed__ int x;
__global__ void write() { x = 1; }
__global__ void read(int* out) { *out = x; }

int main() {
    cudaStream_t writer, reader;
    cudaStreamCreate(&writer);
    cudaStreamCreate(&reader);
    int* out;
    cudaMalloc(&out, sizeof(int));
    write<<<1, 1, 0, writer>>>();
    cudaMemPrefetchAsync(&x, sizeof(x), 0, LEGACY ? nullptr : reader);
    read<<<1, 1, 0, reader>>>(out);
    cudaDeviceSynchronize();
}

//@ vary LEGACY in {true, false};
//@ expect terminates;
//@ expect race_free when LEGACY;
//@ expect race on x when !LEGACY;
