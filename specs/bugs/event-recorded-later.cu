// sgl-project/sglang#14214: one part of a program has its stream wait for an event that another part records only later.  A wait is for
// the last record before it, and there is none; a wait for a value is for whatever writes it.
#include <cuda.h>
#include <cuda_runtime.h>
constexpr int BY_VALUE = 1;

__device__ int data, result;

__global__ void produce() { data = 1; }
__global__ void consume() { result = data; }

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    int* flag;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    cudaDeviceSynchronize();
    if (BY_VALUE)
        cuStreamWaitValue32(second, (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_EQ);
    else
        cudaStreamWaitEvent(second, done, 0);
    consume<<<1, 1, 0, second>>>();
    produce<<<1, 1, 0, first>>>();
    if (BY_VALUE)
        cuStreamWriteValue32(first, (CUdeviceptr)flag, 1, CU_STREAM_WRITE_VALUE_DEFAULT);
    else
        cudaEventRecord(done, first);
    cudaDeviceSynchronize();
}

//@ allow SCP051;
//@ vary BY_VALUE in {0, 1};
//@ options races = ignore;
//@ expect race_free when BY_VALUE == 1;
//@ expect required result == 1 when BY_VALUE == 1;
//@ expect race on data when BY_VALUE == 0;
//@ expect allowed result == 0 when BY_VALUE == 0;
//@ expect terminates;
