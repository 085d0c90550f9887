// One device's kernel writes, a copy brings it to another one, whose kernel reads it: behind an event of the copy, or not.
#include <cuda_runtime.h>
constexpr bool WAITS = true;

__global__ void produce(int* data) { *data = 1; }
__global__ void consume(const int* data, int* result) { *result = *data; }

int main() {
    int *data, *there, *result;
    cudaMalloc(&data, sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaEvent_t copied;
    cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
    cudaSetDevice(1);
    cudaMalloc(&there, sizeof(int));
    cudaMalloc(&result, sizeof(int));
    cudaMemset(there, 0, sizeof(int));
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);

    cudaSetDevice(0);
    produce<<<1, 1, 0, first>>>(data);
    cudaMemcpyPeerAsync(there, 1, data, 0, sizeof(int), first);
    cudaEventRecord(copied, first);
    cudaSetDevice(1);
    if (WAITS) cudaStreamWaitEvent(second, copied, 0);
    consume<<<1, 1, 0, second>>>(there, result);
    cudaStreamSynchronize(second);
    int seen;
    cudaMemcpy(&seen, result, sizeof(int), cudaMemcpyDeviceToHost);
    cudaSetDevice(0);
    cudaDeviceSynchronize();
}

//@ vary WAITS in {true, false};
//@ expect race_free when WAITS;
//@ expect race on there when !WAITS;
//@ expect required main.seen == 1 when WAITS;
