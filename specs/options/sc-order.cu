// A seq_cst store, a relaxed store that overwrites it, and a seq_cst load that reads the latter.  In C++20 the load is
// coherence-ordered after the first store, so S must agree ([atomics.order]/3-4).
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void order() {
    if (blockIdx.x == 0) {
        y.store(1);
        x.store(1);
    } else if (blockIdx.x == 1) {
        x.store(2, cuda::memory_order_relaxed);
    } else {
        int a = x.load();
        int b = y.load();
    }
}

//@ launch order<<<3, 1>>>();
//@ expect race_free;
//@ expect forbidden order[2][0].a == 2 && order[2][0].b == 0 && x == 2;
//@ expect allowed order[2][0].a == 2 && order[2][0].b == 0 && x == 1;
