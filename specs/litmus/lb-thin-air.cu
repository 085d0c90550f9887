// Load buffering with relaxed accesses, with and without data dependencies: without the axiom about
// values out of thin air (lb.cu has it) both may read 1, dependencies or not.
#include <cuda/atomic>

constexpr bool DEPENDENT = false;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void lb() {
    int r;
    if (blockIdx.x == 0) {
        r = x.load(cuda::memory_order_relaxed);
        y.store(DEPENDENT ? r : 1, cuda::memory_order_relaxed);
    } else {
        r = y.load(cuda::memory_order_relaxed);
        x.store(DEPENDENT ? r : 1, cuda::memory_order_relaxed);
    }
}

//@ launch lb<<<2, 1>>>();
//@ options thin_air = off;
//@ vary DEPENDENT in {false, true};
//@ expect race_free;
//@ expect allowed lb[0][0].r == 1 && lb[1][0].r == 1;
//@ expect allowed lb[0][0].r == 0 && lb[1][0].r == 0;
