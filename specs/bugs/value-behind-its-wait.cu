// alpaka-group/alpaka#396: a test has a stream wait for a value, and sets it in the legacy stream.  That one "first waits on all
// blocking streams": also on the one that waits for the value.
#include <cuda.h>
#include <cuda_runtime.h>
constexpr int BLOCKING = 0;

int main() {
    int* trigger;
    cudaMalloc(&trigger, sizeof(int));
    cudaMemset(trigger, 0, sizeof(int));
    cudaStream_t queue;
    cudaStreamCreateWithFlags(&queue, BLOCKING ? cudaStreamDefault : cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    cuStreamWaitValue32(queue, (CUdeviceptr)trigger, 1, CU_STREAM_WAIT_VALUE_GEQ);
    cuStreamWriteValue32(CU_STREAM_LEGACY, (CUdeviceptr)trigger, 1, CU_STREAM_WRITE_VALUE_DEFAULT);
    cudaStreamSynchronize(queue);
}

//@ allow SCP044;
//@ allow SCP051;
//@ vary BLOCKING in {0, 1};
//@ expect race_free;
//@ expect terminates when BLOCKING == 0;
//@ expect may_hang when BLOCKING == 1;
