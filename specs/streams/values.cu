// One stream waits for a value that another one writes behind its kernel.  The write is behind a fence of system scope, and
// the wait is taken to acquire: the kernel behind the wait reads what the other kernel wrote.  Without the fence it need
// not.  A wait whose write is behind it in its own stream never ends.
#include <cuda.h>
#include <cuda_runtime.h>
constexpr int BEHIND = 0;
constexpr int FENCE = 1;

__global__ void produce(int* data) { *data = 1; }
__global__ void consume(const int* data, int* result) { *result = *data; }

int main() {
    int *data, *result;
    unsigned* flag;
    cudaMalloc(&data, sizeof(int));
    cudaMalloc(&result, sizeof(int));
    cudaMalloc(&flag, sizeof(unsigned));
    cudaMemset(flag, 0, sizeof(unsigned));
    cudaDeviceSynchronize();
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaStream_t writes = BEHIND ? second : first;
    cuStreamWaitValue32(second, (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_EQ);
    consume<<<1, 1, 0, second>>>(data, result);
    produce<<<1, 1, 0, writes>>>(data);
    cuStreamWriteValue32(writes, (CUdeviceptr)flag, 1,
                         FENCE ? CU_STREAM_WRITE_VALUE_DEFAULT : CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER);
    cudaDeviceSynchronize();
}

//@ allow SCP044;
//@ allow SCP051;
//@ vary BEHIND in {0, 1};
//@ vary FENCE in {0, 1};
//@ expect race when BEHIND == 0 && FENCE == 0;
//@ expect race_free when BEHIND == 1 || FENCE == 1;
//@ expect terminates when BEHIND == 0;
//@ expect may_hang when BEHIND == 1;
