// PTX: causality passes on what was observed, through any number of threads.
#include <cuda/atomic>

constexpr cuda::memory_order FIRST = cuda::memory_order_release;
constexpr cuda::memory_order SECOND = cuda::memory_order_release;

__device__ int x = 0, w = 0, f = 0, g = 0;

__global__ void relay() {
    cuda::atomic_ref<int, cuda::thread_scope_device> first(f), second(g), observed(w);
    int r = 2, s = 2;
    if (blockIdx.x == 0) {
        observed.store(1, cuda::memory_order_relaxed);
        x = 1;
        first.store(1, FIRST);
    } else if (blockIdx.x == 1) {
        if (observed.load(cuda::memory_order_relaxed) == 1 && first.load(cuda::memory_order_acquire) == 1)
            second.store(1, SECOND);
    } else {
        if (second.load(cuda::memory_order_acquire) == 1) {
            r = x;
            s = w;
        }
    }
}

//@ launch relay<<<3, 1>>>();
//@ vary FIRST in {release, relaxed};
//@ vary SECOND in {release, relaxed};
//@ expect forbidden relay[2][0].r == 0 when FIRST == release && SECOND == release under ptx;
//@ expect allowed relay[2][0].r == 0 when FIRST == relaxed || SECOND == relaxed under ptx;
//@ expect forbidden relay[2][0].s == 0 when SECOND == release under ptx;
//@ expect allowed relay[2][0].s == 0 when SECOND == relaxed under ptx;
