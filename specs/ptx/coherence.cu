// PTX: writes are ordered for everybody where they are morally strong; writes that race (at block scope, from different
// blocks) may be seen in different orders.  CUDA calls that undefined behaviour.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__device__ int x = 0;

__global__ void coherence() {
    cuda::atomic_ref<int, S> write(x);
    cuda::atomic_ref<int, cuda::thread_scope_device> read(x);
    int a = 0, b = 0;
    if (blockIdx.x < 2) {
        write.store(blockIdx.x + 1, cuda::memory_order_relaxed);
    } else {
        a = read.load(cuda::memory_order_relaxed);
        b = read.load(cuda::memory_order_relaxed);
    }
}

//@ launch coherence<<<4, 1>>>();
//@ vary S in {device, block};
//@ expect forbidden coherence[2][0].a == 1 && coherence[2][0].b == 2 && coherence[3][0].a == 2 && coherence[3][0].b == 1 when S == device under ptx;
//@ expect allowed coherence[2][0].a == 1 && coherence[2][0].b == 2 && coherence[3][0].a == 2 && coherence[3][0].b == 1 when S == block under ptx;
