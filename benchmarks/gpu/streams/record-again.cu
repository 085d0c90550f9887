// An event is recorded twice: who waits between the two waits for what the first one stands for, who waits behind both for
// the second.
#include <cuda_runtime.h>
constexpr bool LATER = true;

__global__ void write(int* data, int value) { *data = value; }
__global__ void consume(const int* data, int* result) { *result = *data; }

int main() {
    int *data, *other, *result;
    cudaMalloc(&data, sizeof(int));
    cudaMalloc(&other, sizeof(int));
    cudaMalloc(&result, sizeof(int));
    cudaMemset(data, 0, sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t done;
    cudaEventCreate(&done);

    write<<<1, 1, 0, first>>>(other, 1);
    cudaEventRecord(done, first);
    if (!LATER) cudaStreamWaitEvent(second, done, 0);
    write<<<1, 1, 0, first>>>(data, 1);
    cudaEventRecord(done, first);
    if (LATER) cudaStreamWaitEvent(second, done, 0);
    consume<<<1, 1, 0, second>>>(data, result);
    cudaDeviceSynchronize();
    int seen;
    cudaMemcpy(&seen, result, sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary LATER in {true, false};
//@ expect race_free when LATER;
//@ expect race on data when !LATER;
//@ expect required main.seen == 1 when LATER;
