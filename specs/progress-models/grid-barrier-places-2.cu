// The barrier of grid-barrier.cu on a device with fewer places than blocks: the last never arrives.
#include <cuda/atomic>

constexpr int BLOCKS = 3;

__device__ cuda::atomic<int, cuda::thread_scope_device> arrived{0};

__global__ void together() {
    arrived.fetch_add(1, cuda::memory_order_acq_rel);
    while (arrived.load(cuda::memory_order_acquire) < BLOCKS);
}

//@ given resident_blocks = 2;
//@ launch together<<<BLOCKS, 1>>>();
//@ expect race_free;
//@ expect may_hang under cuda, cuda-resident, cuda-in-order;
