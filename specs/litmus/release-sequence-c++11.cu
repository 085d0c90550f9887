// As release-sequence.cu, with the definition of C++11: later stores by the thread of the release store continue its
// release sequence too.
#include <cuda/atomic>

__device__ int x = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};

__global__ void rs() {
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        f.store(1, cuda::memory_order_release);
        f.store(2, cuda::memory_order_relaxed);
    } else {
        if (f.load(cuda::memory_order_acquire) == 2) r = x;
    }
}

//@ launch rs<<<2, 1>>>();
//@ options release_sequence = c++11;
//@ expect forbidden rs[1][0].r == 0;
//@ expect race_free;
