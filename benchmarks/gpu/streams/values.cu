// A stream waits for a value that another one writes behind its kernel, or for one that is there from the start.
#include <cuda.h>
#include <cuda_runtime.h>
constexpr int AWAITED = 1;

__global__ void produce(int* data) { *data = 1; }
__global__ void consume(const int* data, int* result) { *result = *data; }

int main() {
    int *data, *result;
    unsigned* flag;
    cudaMalloc(&data, sizeof(int));
    cudaMalloc(&result, sizeof(int));
    cudaMalloc(&flag, sizeof(unsigned));
    cudaMemset(data, 0, sizeof(int));
    cudaMemset(flag, 0, sizeof(unsigned));
    cudaDeviceSynchronize();
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);

    produce<<<1, 1, 0, first>>>(data);
    cuStreamWriteValue32(first, (CUdeviceptr)flag, 1, CU_STREAM_WRITE_VALUE_DEFAULT);
    cuStreamWaitValue32(second, (CUdeviceptr)flag, AWAITED, CU_STREAM_WAIT_VALUE_GEQ);
    consume<<<1, 1, 0, second>>>(data, result);
    cudaDeviceSynchronize();
    int seen;
    cudaMemcpy(&seen, result, sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary AWAITED in {1, 0};
//@ expect race_free when AWAITED == 1;
//@ expect race on data when AWAITED == 0;
//@ expect required main.seen == 1 when AWAITED == 1;
