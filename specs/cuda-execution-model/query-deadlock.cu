// Asking again and again does not end while a kernel waits for ever: queries "shall not consistently return
// cudaErrorNotReady without a device thread making progress", and one that spins makes progress.
#include <cuda/atomic>

constexpr bool SETS = true;

__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};

__global__ void consumer() { while (flag.load(cuda::memory_order_relaxed) == 0); }

int main() {
    if (SETS) flag.store(1);
    consumer<<<1, 1>>>();
    while (cudaStreamQuery(0) == cudaErrorNotReady);
    return 0;
}

//@ vary SETS in {true, false};
//@ expect race_free;
//@ expect terminates when SETS;
//@ expect may_hang when !SETS;
//@ expect progresses;
