// A copy in a stream orders kernels like any other work: `second` starts after the copy, which comes after `first`.  In
// another stream nothing orders it.
#include <cuda/atomic>

constexpr bool ONE_STREAM = true;

__managed__ int from = 1, to = 0;
__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};

__global__ void first() { flag.store(1, cuda::memory_order_relaxed); }
__global__ void second() { while (flag.load(cuda::memory_order_relaxed) == 0); }

int main() {
    cudaStream_t s0, s1;
    cudaStreamCreate(&s0);
    cudaStreamCreate(&s1);
    first<<<1, 1, 0, s0>>>();
    cudaMemcpyAsync(&to, &from, sizeof(int), cudaMemcpyDefault, ONE_STREAM ? s0 : s1);
    second<<<1, 1, 0, ONE_STREAM ? s0 : s1>>>();
    return cudaDeviceSynchronize();
}

//@ vary ONE_STREAM in {true, false};
//@ expect race_free;
//@ expect terminates when ONE_STREAM;
//@ expect may_hang when !ONE_STREAM;
