// A ticket lock in which every operation is acq_rel or stronger.
#include <cuda/atomic>

using counter = cuda::atomic<unsigned, cuda::thread_scope_device>;
__device__ counter next{0}, serving{0};
__device__ int balance = 0;

__global__ void pay() {
    const unsigned mine = next.fetch_add(1, cuda::memory_order_acq_rel);
    while (serving.load(cuda::memory_order_seq_cst) != mine);
    balance += 5;
    serving.store(mine + 1, cuda::memory_order_seq_cst);
}

//@ launch pay<<<2, 1>>>();
//@ expect race_free;
//@ expect required balance == 10;
