// Two blocks count themselves in, and the first waits for the second. A compare-exchange that is tried until it succeeds
// needs no order; a load and a store, of which each may miss the other's, need a lock.
#include <cuda/atomic>

constexpr bool RETRIES = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> inside{0}, second{0};

__global__ void meet() {
    int before = inside.load(cuda::memory_order_relaxed);
    if (RETRIES) {
        while (!inside.compare_exchange_weak(before, before + 1, cuda::memory_order_relaxed)) { }
    } else {
        inside.store(before + 1, cuda::memory_order_relaxed);
    }
    if (before == 0) {
        while (second.load(cuda::memory_order_relaxed) == 0) { }
    } else {
        second.store(1, cuda::memory_order_relaxed);
    }
}

int main() {
    cudaLaunchCooperativeKernel((void *)meet, 2, 1, nullptr);
    cudaDeviceSynchronize();
}

//@ vary RETRIES in {true, false};
//@ expect race_free;
//@ expect terminates when RETRIES;
//@ expect may_hang when !RETRIES;
