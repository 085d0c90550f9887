// A release fence synchronizes with an acquire load ([atomics.fences]/3); without the fence nothing is released.
#include <cuda/atomic>

constexpr cuda::memory_order FENCE = cuda::memory_order_release;

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    if (blockIdx.x == 0) {
        x = 1;
        cuda::atomic_thread_fence(FENCE, cuda::thread_scope_device);
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        int seen = flag.load(cuda::memory_order_acquire);
        int r = seen == 1 ? x : 2;
    }
}

//@ launch mp<<<2, 1>>>();
//@ options races = ignore;
//@ vary FENCE in {release, relaxed, acquire, acq_rel};
//@ expect forbidden mp[1][0].r == 0 when FENCE == release || FENCE == acq_rel;
//@ expect race_free when FENCE == release || FENCE == acq_rel;
//@ expect allowed mp[1][0].r == 0 when FENCE == relaxed || FENCE == acquire;
//@ expect race on x when FENCE == relaxed || FENCE == acquire;
