// PTX: weak writes that race are in no order, so that a thread which both happen before may read one and then the other.
#include <cuda/atomic>

constexpr bool WEAK = true;

__device__ int x = 0, f = 0, g = 0;

__global__ void writes() {
    cuda::atomic_ref<int, cuda::thread_scope_device> first(f), second(g), atomic(x);
    int a = 0, b = 0;
    if (blockIdx.x == 0) {
        if (WEAK) x = 1; else atomic.store(1, cuda::memory_order_relaxed);
        first.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 1) {
        if (WEAK) x = 2; else atomic.store(2, cuda::memory_order_relaxed);
        second.store(1, cuda::memory_order_release);
    } else {
        if (first.load(cuda::memory_order_acquire) == 1 && second.load(cuda::memory_order_acquire) == 1) {
            a = x;
            b = x;
        }
    }
}

//@ launch writes<<<3, 1>>>();
//@ vary WEAK in {true, false};
//@ expect allowed writes[2][0].a == 1 && writes[2][0].b == 2 when WEAK under ptx;
//@ expect forbidden writes[2][0].a == 1 && writes[2][0].b == 2 when !WEAK under ptx;
