// A stream waits until a value is at least 2, which goes round at the end of the numbers: half of them are, the others not.
#include <cuda.h>
#include <cuda_runtime.h>
constexpr int WRITTEN = 2;

int main() {
    int* flag;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0xFF, sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cuStreamWaitValue32(second, (CUdeviceptr)flag, 2, CU_STREAM_WAIT_VALUE_GEQ);
    cuStreamWriteValue32(first, (CUdeviceptr)flag, WRITTEN, CU_STREAM_WRITE_VALUE_DEFAULT);
    cudaDeviceSynchronize();
}

//@ allow SCP044;
//@ allow SCP051;
//@ vary WRITTEN in {-2147483647, -2147483646};
//@ expect race_free;
//@ expect terminates when WRITTEN == -2147483647;
//@ expect may_hang when WRITTEN == -2147483646;
