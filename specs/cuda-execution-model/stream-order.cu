// Execution.Model.Stream.0 and Stream.1 side by side, as CUDA C++ that compiles: `second` waits for what `first`
// writes, and runs after it only where a stream says so.  The legacy default stream is ordered with streams that
// block (CUDA programming guide), a non-blocking stream with no other.
#include <cuda/atomic>

constexpr int STREAMS = 1;

__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};

__global__ void first() { flag.store(1, cuda::memory_order_relaxed); }
__global__ void second() { while (flag.load(cuda::memory_order_relaxed) == 0) {} }

int main() {
    cudaStream_t s0, s1;
    cudaStreamCreate(&s0);
    if (STREAMS == 3) {
        cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);
    } else {
        cudaStreamCreate(&s1);
    }
    if (STREAMS >= 2) {
        first<<<1, 1>>>();
        second<<<1, 1, 0, s1>>>();
    } else {
        first<<<1, 1, 0, s0>>>();
        if (STREAMS == 1) second<<<1, 1, 0, s0>>>();
        if (STREAMS == 0) second<<<1, 1, 0, s1>>>();
    }
    return cudaDeviceSynchronize();
}

//@ vary STREAMS in {0, 1, 2, 3};
//@ expect race_free;
//@ expect terminates when STREAMS == 1 || STREAMS == 2;
//@ expect may_hang when STREAMS == 0 || STREAMS == 3;
