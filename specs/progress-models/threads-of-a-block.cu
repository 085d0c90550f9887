// Within a block threads wait for each other, whatever is promised to blocks: once one of them has started, all are owed
// progress, under the models of workgroups too.  Two blocks that wait for each other are another matter.
#include <cuda/atomic>

constexpr int BLOCKS = 1;

__device__ cuda::atomic<int, cuda::thread_scope_device> met{0};

__global__ void meet() {
    met.fetch_add(1, cuda::memory_order_relaxed);
    while (met.load(cuda::memory_order_relaxed) < 2);
}

//@ vary BLOCKS in {1, 2};
//@ launch meet<<<BLOCKS, 2 / BLOCKS>>>();
//@ expect race_free;
//@ expect terminates when BLOCKS == 1 under fair, obe, hsa, hsa-obe, lobe, cuda;
//@ expect may_hang when BLOCKS == 2 under obe, hsa, hsa-obe, lobe, cuda;
