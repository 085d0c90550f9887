// The first block waits for nobody, the second for the first, the third for the second: each is the unfinished one with
// the lowest number in turn.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> turn{0};

__global__ void handover() {
    int mine = blockIdx.x;
    while (turn.load(cuda::memory_order_relaxed) != mine);
    turn.store(mine + 1, cuda::memory_order_relaxed);
}

//@ launch handover<<<3, 1>>>();
//@ expect race_free;
//@ expect terminates under fair, hsa, hsa-obe, lobe, cuda-resident, cuda-in-order;
//@ expect may_hang under obe, none, cuda;
