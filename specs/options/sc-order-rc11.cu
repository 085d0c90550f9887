// As sc-order.cu, with the order of RC11, which asks for each of co and fr alone and not for their compositions with rf.
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
//@ options sc_order = rc11;
//@ expect race_free;
//@ expect allowed order[2][0].a == 2 && order[2][0].b == 0 && x == 2;
