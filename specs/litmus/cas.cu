// Of two strong compare-exchanges from the same value only one succeeds; two tests followed by a store may both.
#include <cuda/atomic>

constexpr bool ATOMIC = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> owner{0};

__global__ void take() {
    int id = blockIdx.x + 1;
    int expected = 0;
    bool mine = false;
    if (ATOMIC) {
        mine = owner.compare_exchange_strong(expected, id, cuda::memory_order_relaxed);
    } else if (owner.load(cuda::memory_order_relaxed) == 0) {
        owner.store(id, cuda::memory_order_relaxed);
        mine = true;
    }
}

//@ launch take<<<2, 1>>>();
//@ vary ATOMIC in {true, false};
//@ expect race_free;
//@ expect forbidden take[0][0].mine && take[1][0].mine when ATOMIC;
//@ expect allowed take[0][0].mine && take[1][0].mine when !ATOMIC;
//@ expect forbidden !take[0][0].mine && !take[1][0].mine;
