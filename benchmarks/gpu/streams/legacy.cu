// What is given to the legacy default stream waits for blocking streams, and not for one that was created as non-blocking.
#include <cuda_runtime.h>
constexpr bool BLOCKING = true;

__global__ void produce(int* data) { *data = 1; }
__global__ void consume(const int* data, int* result) { *result = *data; }

int main() {
    int *data, *result;
    cudaMalloc(&data, sizeof(int));
    cudaMalloc(&result, sizeof(int));
    cudaMemset(data, 0, sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, BLOCKING ? cudaStreamDefault : cudaStreamNonBlocking);

    produce<<<1, 1, 0, stream>>>(data);
    consume<<<1, 1>>>(data, result);
    cudaDeviceSynchronize();
    int seen;
    cudaMemcpy(&seen, result, sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary BLOCKING in {true, false};
//@ expect race_free when BLOCKING;
//@ expect race on data when !BLOCKING;
//@ expect required main.seen == 1 when BLOCKING;
