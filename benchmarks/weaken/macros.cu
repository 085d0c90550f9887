// A message, where macros say how threads synchronise: for another device, and more than is needed.
#include <cuda/atomic>

#define PUBLISH(flag) (flag).store(1, cuda::memory_order_seq_cst)
#define FENCE() __threadfence_system()
#define LOOK cuda::memory_order_acquire

__device__ int data = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void talk() {
    int heard = 42;
    if (blockIdx.x == 0) {
        data = 42;
        FENCE();
        PUBLISH(flag);
    } else if (flag.load(LOOK) == 1) {
        heard = data;
    }
}

//@ launch talk<<<2, 1>>>();
//@ expect race_free;
//@ expect required talk[1][0].heard == 42;
