// Atomic increments lose no update, whatever their order; a load and a store do.
#include <cuda/atomic>

constexpr int THREADS = 2;
constexpr bool ATOMIC = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> n{0};

__global__ void count() {
    if (ATOMIC) {
        n.fetch_add(1, cuda::memory_order_relaxed);
    } else {
        int r = n.load(cuda::memory_order_relaxed);
        n.store(r + 1, cuda::memory_order_relaxed);
    }
}

//@ launch count<<<THREADS, 1>>>();
//@ vary THREADS in {2, 3};
//@ vary ATOMIC in {true, false};
//@ expect race_free;
//@ expect required n == THREADS when ATOMIC;
//@ expect allowed n == 1 when !ATOMIC;
