// A ticket lock: a block waits only for blocks that have drawn a ticket, so for some that have started.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> drawn{0}, served{0};

__global__ void in_turn() {
    int mine = drawn.fetch_add(1, cuda::memory_order_relaxed);
    while (served.load(cuda::memory_order_acquire) != mine);
    served.store(mine + 1, cuda::memory_order_release);
}

//@ given resident_blocks = 2;
//@ launch in_turn<<<3, 1>>>();
//@ expect race_free;
//@ expect terminates under cuda, cuda-resident, cuda-in-order;
