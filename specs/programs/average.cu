// A block that looks before another has counted finds zero: only a condition keeps it from dividing by that, and from
// taking an element that the table does not have.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> counted{0};
__device__ int table[3] = {10, 20, 30};

__global__ void average() {
    if (blockIdx.x > 0) {
        counted.fetch_add(1, cuda::memory_order_relaxed);
    } else {
        int n = counted.load(cuda::memory_order_relaxed);
        int r = n > 0 ? table[2 / n] : 0;
    }
}

//@ launch average<<<3, 1>>>();
//@ expect race_free;
//@ expect required average[0][0].r == 0 || average[0][0].r == 20 || average[0][0].r == 30;
//@ expect terminates;
