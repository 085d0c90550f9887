// The heart of a prefix sum with decoupled look-back: each tile adds the total of the tiles before it.  A block that takes
// the next tile with a ticket has predecessors that have started, and are owed progress; one that takes the tile of its
// own index may wait for a block that nothing promises to start.
#include <cuda/atomic>

constexpr bool TICKET = true;

__managed__ int sums[2] = {0, 0};
__device__ cuda::atomic<int, cuda::thread_scope_device> ticket{0};
__device__ cuda::atomic<int, cuda::thread_scope_device> ready[2];

__global__ void scan() {
    int tile = TICKET ? ticket.fetch_add(1, cuda::memory_order_relaxed) : (int)blockIdx.x;
    int sum = tile + 1;
    if (tile > 0) {
        while (ready[tile - 1].load(cuda::memory_order_acquire) == 0);
        sum += sums[tile - 1];
    }
    sums[tile] = sum;
    ready[tile].store(1, cuda::memory_order_release);
}

//@ launch scan<<<2, 1>>>();
//@ vary TICKET in {true, false};
//@ expect race_free;
//@ expect required sums[1] == 3;
//@ expect terminates when TICKET;
//@ expect may_hang when !TICKET;
