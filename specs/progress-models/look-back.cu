// The last block waits for the one in the middle, and the first, if it sees the last one begun, for the last.  That the
// first is owed progress and the last has started does not help the middle one, unless a thread that has started makes
// those before it owed progress: hsa and obe together are weaker than lobe.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> begun{0}, middle{0}, last{0};

__global__ void look_back() {
    if (blockIdx.x == 2) {
        begun.store(1, cuda::memory_order_relaxed);
        while (middle.load(cuda::memory_order_relaxed) == 0);
        last.store(1, cuda::memory_order_relaxed);
    } else if (blockIdx.x == 1) {
        middle.store(1, cuda::memory_order_relaxed);
    } else if (begun.load(cuda::memory_order_relaxed) == 1) {
        while (last.load(cuda::memory_order_relaxed) == 0);
    }
}

//@ launch look_back<<<3, 1>>>();
//@ expect race_free;
//@ expect terminates under fair, lobe, cuda-resident, cuda-in-order;
//@ expect may_hang under hsa-obe, hsa, obe, none, cuda;
