// Two threads write two locations in opposite orders: relaxed, both first writes may be last; seq_cst, they may not.
#include <cuda/atomic>

constexpr cuda::memory_order ORDER = cuda::memory_order_seq_cst;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void writes() {
    if (blockIdx.x == 0) {
        x.store(1, ORDER);
        y.store(2, ORDER);
    } else {
        y.store(1, ORDER);
        x.store(2, ORDER);
    }
}

//@ launch writes<<<2, 1>>>();
//@ vary ORDER in {seq_cst, relaxed, release};
//@ expect race_free;
//@ expect forbidden x == 1 && y == 1 when ORDER == seq_cst;
//@ expect allowed x == 1 && y == 1 when ORDER != seq_cst;
//@ expect required x != 0 && y != 0;
