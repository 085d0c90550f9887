// A lock around a counter: compare-and-swap with the strongest order, a fence behind it, and one before it is given back.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> mutex{0};
__device__ int balance = 0;

__global__ void pay() {
    int open = 0;
    while (!mutex.compare_exchange_strong(open, 1, cuda::memory_order_seq_cst, cuda::memory_order_seq_cst)) open = 0;
    __threadfence();
    balance += 5;
    __threadfence();
    mutex.store(0, cuda::memory_order_seq_cst);
}

//@ launch pay<<<2, 1>>>();
//@ expect race_free;
//@ expect required balance == 10;
