// Memory of a pool is freed in another stream than the one that uses it: behind an event, or at once.  What is allocated
// after it may get the same memory.
#include <cuda_runtime.h>
constexpr bool WAITS = true;

__global__ void write(int* data) { *data = 1; }
__global__ void consume(const int* data, int* result) { *result = *data; }

int main() {
    int *result, *data, *next;
    cudaMalloc(&result, sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t there, used;
    cudaEventCreate(&there);
    cudaEventCreate(&used);

    cudaMallocAsync((void**)&data, sizeof(int), first);
    cudaEventRecord(there, first);
    write<<<1, 1, 0, first>>>(data);
    consume<<<1, 1, 0, first>>>(data, result);
    cudaEventRecord(used, first);
    cudaStreamWaitEvent(second, WAITS ? used : there, 0);
    cudaFreeAsync(data, second);
    cudaMallocAsync((void**)&next, sizeof(int), second);
    cudaMemsetAsync(next, 0x22, sizeof(int), second);
    cudaFreeAsync(next, second);
    cudaDeviceSynchronize();
    int seen;
    cudaMemcpy(&seen, result, sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary WAITS in {true, false};
//@ expect race_free when WAITS;
//@ expect undefined when !WAITS;
//@ expect required main.seen == 1 when WAITS;
