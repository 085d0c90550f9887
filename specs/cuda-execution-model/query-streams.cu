// Execution.Model.Stream.0 with a query loop in the place of the wait: queries "shall not consistently return
// cudaErrorNotReady without a device thread making progress".  While `second` spins it makes progress, so the queries
// do not make `first` start.
#include <cuda/atomic>

constexpr bool ONE_STREAM = true;

__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};

__global__ void first() { flag.store(1, cuda::memory_order_relaxed); }
__global__ void second() { while (flag.load(cuda::memory_order_relaxed) == 0); }

int main() {
    cudaStream_t s0, s1;
    cudaStreamCreate(&s0);
    cudaStreamCreate(&s1);
    first<<<1, 1, 0, s0>>>();
    second<<<1, 1, 0, ONE_STREAM ? s0 : s1>>>();
    while (cudaStreamQuery(s0) == cudaErrorNotReady);
    while (cudaStreamQuery(s1) == cudaErrorNotReady);
    return 0;
}

//@ options api = returns;
//@ vary ONE_STREAM in {true, false};
//@ expect race_free;
//@ expect terminates when ONE_STREAM;
//@ expect may_hang when !ONE_STREAM;
