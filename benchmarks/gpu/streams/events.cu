// A kernel reads what a kernel in another stream writes: it waits for an event behind that one, or the event stands for
// what the stream had before.
#include <cuda_runtime.h>
constexpr bool BEHIND = true;

__global__ void produce(int* data) { *data = 1; }
__global__ void consume(const int* data, int* result) { *result = *data; }

int main() {
    int *data, *result;
    cudaMalloc(&data, sizeof(int));
    cudaMalloc(&result, sizeof(int));
    cudaMemset(data, 0, sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t written;
    cudaEventCreateWithFlags(&written, cudaEventDisableTiming);

    if (!BEHIND) cudaEventRecord(written, first);
    produce<<<1, 1, 0, first>>>(data);
    if (BEHIND) cudaEventRecord(written, first);
    cudaStreamWaitEvent(second, written, 0);
    consume<<<1, 1, 0, second>>>(data, result);
    cudaDeviceSynchronize();
    int seen;
    cudaMemcpy(&seen, result, sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary BEHIND in {true, false};
//@ expect race_free when BEHIND;
//@ expect race on data when !BEHIND;
//@ expect required main.seen == 1 when BEHIND;
