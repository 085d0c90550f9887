// cudaFree "may perform implicit synchronization" (CUDA runtime API), so it may also perform none: memory that is freed under
// a kernel is accessed when it is no more.  A wait for the kernel orders the two, and so does a flag that it sets last.
#include <cuda/atomic>
#include <cuda_runtime.h>

constexpr int NOTHING = 0, DEVICE = 1, STREAM = 2, OTHER = 3, EVENT = 4, FLAG = 5, EARLY = 6;
constexpr int WAIT = DEVICE;

__managed__ cuda::atomic<int, cuda::thread_scope_system> done{0};

__global__ void work(int* data) {
    if (WAIT == EARLY) done.store(1, cuda::memory_order_release);
    data[threadIdx.x] = 1;
    if (WAIT == FLAG) done.store(1, cuda::memory_order_release);
}

int main() {
    cudaStream_t stream, other;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEvent_t ready;
    cudaEventCreate(&ready);
    int* data;
    cudaMalloc(&data, sizeof(int));
    work<<<1, 1, 0, stream>>>(data);
    cudaEventRecord(ready, stream);
    if (WAIT == DEVICE) cudaDeviceSynchronize();
    if (WAIT == STREAM) cudaStreamSynchronize(stream);
    if (WAIT == OTHER) cudaStreamSynchronize(other);
    if (WAIT == EVENT) cudaEventSynchronize(ready);
    if (WAIT == FLAG || WAIT == EARLY)
        while (done.load(cuda::memory_order_acquire) == 0);
    cudaFree(data);
    cudaDeviceSynchronize();
}

//@ vary WAIT in {0, 1, 2, 3, 4, 5, 6};
//@ expect race_free when WAIT == DEVICE || WAIT == STREAM || WAIT == EVENT || WAIT == FLAG;
//@ expect race on data when WAIT == NOTHING || WAIT == OTHER || WAIT == EARLY;
//@ expect terminates when WAIT != FLAG && WAIT != EARLY;
