// NVIDIA/cudf#22284: a function fills a buffer, copies it to the device in the order of a stream, and gives the buffer back when it
// returns.  A copy from pageable memory has read it by then; from pinned memory it reads when the stream comes to it, and the next
// owner of the buffer writes meanwhile.
#include <cuda_runtime.h>
constexpr int WAITS = 1;

__device__ int view;
__device__ int result;

__global__ void use() { result = view; }

void describe(int* staging, int value, cudaStream_t stream) {
    *staging = value;
    cudaMemcpyToSymbolAsync(view, staging, sizeof(int), 0, cudaMemcpyHostToDevice, stream);
    use<<<1, 1, 0, stream>>>();
    if (WAITS) cudaStreamSynchronize(stream);
}

int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int* pool;
    cudaMallocHost(&pool, sizeof(int));
    describe(pool, 1, stream);
    *pool = 2;
    cudaStreamSynchronize(stream);
}

//@ vary WAITS in {0, 1};
//@ options races = ignore;
//@ expect race_free when WAITS == 1;
//@ expect required result == 1 when WAITS == 1;
//@ expect race on pool when WAITS == 0;
//@ expect allowed result == 2 when WAITS == 0;
