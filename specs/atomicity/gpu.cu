// "it affects an object in GPU memory" and only threads of one GPU access it: met.
#include <cuda/atomic>

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_system> flag(f);
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        flag.store(1, cuda::memory_order_release);
    } else {
        if (flag.load(cuda::memory_order_acquire) == 1) r = x;
    }
}

//@ launch mp<<<2, 1>>>();
//@ expect race_free under cuda-v1, cuda-v2, cuda-v3;
