// PTX: fence.sc of two threads that include each other are ordered, one way or the other.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__device__ int x = 0, y = 0;

__global__ void sb() {
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, S);
        r = y;
    } else {
        y = 1;
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, S);
        r = x;
    }
}

//@ launch sb<<<2, 1>>>();
//@ vary S in {device, block};
//@ expect forbidden sb[0][0].r == 0 && sb[1][0].r == 0 when S == device under ptx;
//@ expect allowed sb[0][0].r == 0 && sb[1][0].r == 0 when S == block under ptx;
