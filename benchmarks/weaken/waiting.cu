// A thread waits for a flag, with fences beside accesses that already order: as where old code was made new line by line.
#include <cuda/atomic>

__device__ int data = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void wait() {
    if (blockIdx.x == 0) {
        data = 42;
        __threadfence();
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0);
        __threadfence();
        int heard = data;
    }
}

//@ launch wait<<<2, 1>>>();
//@ expect race_free;
//@ expect required wait[1][0].heard == 42;
