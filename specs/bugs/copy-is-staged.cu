// ashalliants/ninfer-3090#38, intel/llvm#1798: cudaMemcpy from pageable memory returns when the source has been staged, "but the DMA to
// final destination may not have completed".  It ends in the legacy stream, which a non-blocking stream does not wait for.
#include <cuda_runtime.h>
constexpr int WAITS = 1;

__device__ int input, output;

__global__ void use() { output = input; }

int main() {
    cudaStream_t engine;
    cudaStreamCreateWithFlags(&engine, cudaStreamNonBlocking);
    int values[] = {1};
    cudaMemcpyToSymbol(input, values, sizeof(int));
    if (WAITS) cudaStreamSynchronize(nullptr);
    use<<<1, 1, 0, engine>>>();
    cudaDeviceSynchronize();
}

//@ vary WAITS in {0, 1};
//@ options races = ignore;
//@ expect race_free when WAITS == 1;
//@ expect required output == 1 when WAITS == 1;
//@ expect race on input when WAITS == 0;
//@ expect allowed output == 0 when WAITS == 0;
