// cudaMallocAsync and cudaFreeAsync have their places in a stream: "The allocation must not be accessed until the allocation
// operation completes", and "must not be accessed after stream execution reaches the free" (CUDA runtime API, "Stream
// Ordered Memory Allocator").  Another stream has to wait for the one, and the free for what other streams do.
#include <cuda_runtime.h>

constexpr int SAME = 0, OTHER = 1, OTHER_IN_ORDER = 2, NOT_YET = 3, FREED_BY_OTHER = 4, FREED_AT_ONCE = 5, DESTROYED = 6;
constexpr int USE = SAME;

__global__ void use(int* data) { *data = 1; }

int main() {
    cudaStream_t stream, other;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEvent_t allocated, used;
    cudaEventCreate(&allocated);
    cudaEventCreate(&used);
    int* data;
    cudaMallocAsync(&data, sizeof(int), stream);
    cudaEventRecord(allocated, stream);
    if (USE != SAME && USE != NOT_YET) cudaStreamWaitEvent(other, allocated, 0);
    const bool own = USE == SAME || USE == FREED_AT_ONCE || USE == DESTROYED;
    use<<<1, 1, 0, own ? stream : other>>>(data);
    cudaEventRecord(used, own ? stream : other);
    if (USE == OTHER_IN_ORDER || USE == NOT_YET) cudaStreamWaitEvent(stream, used, 0);
    switch (USE) {
        case FREED_BY_OTHER: cudaFreeAsync(data, other); break;
        case FREED_AT_ONCE: cudaFree(data); break;  // "will not perform any implicit synchronization" of such memory
        case DESTROYED:  // what a stream has allocated is not its own
            cudaStreamSynchronize(stream);
            cudaStreamDestroy(stream);
            cudaFree(data);
            break;
        default: cudaFreeAsync(data, stream);
    }
    cudaDeviceSynchronize();
}

//@ vary USE in {0, 1, 2, 3, 4, 5, 6};
//@ expect race_free when USE == SAME || USE == OTHER_IN_ORDER || USE == FREED_BY_OTHER || USE == DESTROYED;
//@ expect race on data when USE == OTHER || USE == NOT_YET || USE == FREED_AT_ONCE;
//@ expect terminates;
