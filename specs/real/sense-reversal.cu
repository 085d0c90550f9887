// A barrier of a grid with a sense: the last block to come sets the counter back and turns the sense, which the others wait for.
// With the sense turned first a block that is quick counts before the counter is set back, and its arrival is lost.
#include <cuda/atomic>

constexpr bool COUNTER_FIRST = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> count{0}, sense{0};

__device__ void sync(int& mine) {
    mine = 1 - mine;
    if (count.fetch_add(1, cuda::memory_order_acq_rel) == 1) {
        if (COUNTER_FIRST) count.store(0, cuda::memory_order_relaxed);
        sense.store(mine, cuda::memory_order_release);
        if (!COUNTER_FIRST) count.store(0, cuda::memory_order_relaxed);
    } else {
        while (sense.load(cuda::memory_order_acquire) != mine);
    }
}

__global__ void phases() {
    int mine = 0;
    sync(mine);
    sync(mine);
}

int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)phases, dim3(2), dim3(1), none, 0, 0);
    return cudaDeviceSynchronize();
}

//@ vary COUNTER_FIRST in {true, false};
//@ expect terminates when COUNTER_FIRST;
//@ expect may_hang when !COUNTER_FIRST;
