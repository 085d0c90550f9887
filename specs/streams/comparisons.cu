// A stream waits for a value that another stream writes, in each of the four ways to compare it with 2.
#include <cuda.h>
#include <cuda_runtime.h>
constexpr int COMPARED = CU_STREAM_WAIT_VALUE_GEQ;
constexpr int WRITTEN = 2;

int main() {
    int* flag;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cuStreamWaitValue32(second, (CUdeviceptr)flag, 2, COMPARED);
    cuStreamWriteValue32(first, (CUdeviceptr)flag, WRITTEN, CU_STREAM_WRITE_VALUE_DEFAULT);
    cudaDeviceSynchronize();
}

//@ allow SCP044;
//@ allow SCP051;
//@ vary COMPARED in {CU_STREAM_WAIT_VALUE_GEQ, CU_STREAM_WAIT_VALUE_EQ, CU_STREAM_WAIT_VALUE_AND, CU_STREAM_WAIT_VALUE_NOR};
//@ vary WRITTEN in {1, 2};
//@ expect race_free;
//@ expect terminates when WRITTEN == 2 || COMPARED == 3;
//@ expect may_hang when WRITTEN == 1 && COMPARED != 3;
