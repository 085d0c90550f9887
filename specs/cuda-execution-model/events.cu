// Execution.Model.Stream.0 with an event: "dependencies [...] may include dependencies on the completion of, among
// others, CUDA Events and CUDA Kernels".  `second` must wait for an event that is recorded after `first` was launched.
#include <cuda/atomic>

constexpr int AFTER_FIRST = 0, BEFORE_FIRST = 1, WAIT_AFTER_SECOND = 2;
constexpr int ORDER = AFTER_FIRST;

__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};

__global__ void first() { flag.store(1, cuda::memory_order_relaxed); }
__global__ void second() { while (flag.load(cuda::memory_order_relaxed) == 0); }

int main() {
    cudaStream_t s0, s1;
    cudaStreamCreate(&s0);
    cudaStreamCreate(&s1);
    cudaEvent_t written;
    cudaEventCreate(&written);
    if (ORDER == BEFORE_FIRST) cudaEventRecord(written, s0);
    first<<<1, 1, 0, s0>>>();
    if (ORDER != BEFORE_FIRST) cudaEventRecord(written, s0);
    if (ORDER != WAIT_AFTER_SECOND) cudaStreamWaitEvent(s1, written, 0);
    second<<<1, 1, 0, s1>>>();
    if (ORDER == WAIT_AFTER_SECOND) cudaStreamWaitEvent(s1, written, 0);
    return cudaDeviceSynchronize();
}

//@ vary ORDER in {0, 1, 2};
//@ expect race_free;
//@ expect terminates when ORDER == AFTER_FIRST;
//@ expect may_hang when ORDER != AFTER_FIRST;
