// A stream waits for a value that the host writes into memory that devices access too.  The kernel behind the wait reads what
// the host wrote before if that write is a release.
#include <cuda.h>
#include <cuda/atomic>
#include <cuda_runtime.h>
constexpr auto ORDER = cuda::memory_order_release;

__global__ void consume(const int* data, int* result) { *result = *data; }

int main() {
    int *data, *result;
    unsigned* bell;
    cudaMallocHost(&data, sizeof(int));
    cudaMallocHost(&bell, sizeof(unsigned));
    cudaMalloc(&result, sizeof(int));
    *bell = 0;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cuStreamWaitValue32(stream, (CUdeviceptr)bell, 1, CU_STREAM_WAIT_VALUE_GEQ);
    consume<<<1, 1, 0, stream>>>(data, result);
    *data = 1;
    cuda::atomic_ref<unsigned, cuda::thread_scope_system>(*bell).store(1, ORDER);
    cudaStreamSynchronize(stream);
}

//@ vary ORDER in {relaxed, release};
//@ expect race when ORDER == relaxed;
//@ expect race_free when ORDER == release;
//@ expect terminates;
