// The host writes a pinned buffer anew while a copy from it may still be under way, or behind an event that ends it.
#include <cuda_runtime.h>
constexpr bool WAITS = true;

int main() {
    int *buffer, *data;
    cudaMallocHost(&buffer, sizeof(int));
    cudaMalloc(&data, sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaEvent_t copied;
    cudaEventCreate(&copied);

    *buffer = 1;
    cudaMemcpyAsync(data, buffer, sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaEventRecord(copied, stream);
    if (WAITS) cudaEventSynchronize(copied);
    *buffer = 2;
    cudaStreamSynchronize(stream);
    int seen;
    cudaMemcpy(&seen, data, sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary WAITS in {true, false};
//@ expect race_free when WAITS;
//@ expect race on buffer when !WAITS;
//@ expect required main.seen == 1 when WAITS;
