// A block waits for one that has started, whatever its number: the occupancy-bound models and CUDA owe progress to the
// holder of a lock, but while it holds the lock it need not be the one with the lowest number.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> lock{0};

__global__ void with_lock() {
    while (lock.exchange(1, cuda::memory_order_acquire) == 1);
    lock.store(0, cuda::memory_order_release);
}

//@ launch with_lock<<<2, 1>>>();
//@ expect race_free;
//@ expect terminates under fair, obe, hsa-obe, lobe, cuda, cuda-resident, cuda-in-order;
//@ expect may_hang under hsa, none;
