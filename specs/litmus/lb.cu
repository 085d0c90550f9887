// Load buffering with relaxed accesses: both may read 1 where the stores depend on nothing that is read, as GPUs show, or
// where one of them does.  Values that come out of thin air no thread reads.
#include <cuda/atomic>

constexpr bool FIRST = false, SECOND = false;   // whether the thread stores what it read

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void lb() {
    int r;
    if (blockIdx.x == 0) {
        r = x.load(cuda::memory_order_relaxed);
        y.store(FIRST ? r : 1, cuda::memory_order_relaxed);
    } else {
        r = y.load(cuda::memory_order_relaxed);
        x.store(SECOND ? r : 1, cuda::memory_order_relaxed);
    }
}

//@ launch lb<<<2, 1>>>();
//@ vary FIRST in {false, true};
//@ vary SECOND in {false, true};
//@ expect race_free;
//@ expect allowed lb[0][0].r == 1 && lb[1][0].r == 1 when !FIRST || !SECOND;
//@ expect forbidden lb[0][0].r == 1 || lb[1][0].r == 1 when FIRST && SECOND;
//@ expect allowed lb[0][0].r == 0 && lb[1][0].r == 0;
