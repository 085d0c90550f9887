// A barrier of all blocks in an ordinary launch: it works as long as all of them are resident.
#include <cuda/atomic>

constexpr int BLOCKS = 3;

__device__ cuda::atomic<int, cuda::thread_scope_device> arrived{0};

__global__ void together() {
    arrived.fetch_add(1, cuda::memory_order_acq_rel);
    while (arrived.load(cuda::memory_order_acquire) < BLOCKS);
}

//@ launch together<<<BLOCKS, 1>>>();
//@ expect race_free;
//@ expect terminates under cuda-resident, fair;
//@ expect may_hang under cuda, cuda-in-order, lobe;
