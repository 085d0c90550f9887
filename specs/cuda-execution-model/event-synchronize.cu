// Waiting for an event, for a stream, or asking again and again: each makes the implementation start the kernel that
// the host needs.  An event of another stream does not.
#include <cuda/atomic>

constexpr int EVENT = 0, STREAM = 1, QUERY = 2, EVENT_QUERY = 3, OTHER_EVENT = 4;
constexpr int HOW = EVENT;

__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};

__global__ void producer() { flag.store(1, cuda::memory_order_relaxed); }

int main() {
    cudaStream_t s, other;
    cudaStreamCreate(&s);
    cudaStreamCreate(&other);
    cudaEvent_t event;
    cudaEventCreate(&event);
    producer<<<1, 1, 0, s>>>();
    cudaEventRecord(event, HOW == OTHER_EVENT ? other : s);
    if (HOW == EVENT || HOW == OTHER_EVENT) cudaEventSynchronize(event);
    if (HOW == STREAM) cudaStreamSynchronize(s);
    if (HOW == QUERY) while (cudaStreamQuery(s) == cudaErrorNotReady);
    if (HOW == EVENT_QUERY) while (cudaEventQuery(event) == cudaErrorNotReady);
    while (flag.load(cuda::memory_order_relaxed) == 0);
    return 0;
}

//@ vary HOW in {0, 1, 2, 3, 4};
//@ expect race_free;
//@ expect terminates when HOW != OTHER_EVENT;
//@ expect may_hang when HOW == OTHER_EVENT;
