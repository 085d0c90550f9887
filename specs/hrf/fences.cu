// Fences under HRF: with a relaxed access before or after it, a fence is a release or an acquire at the scope of the fence.
#include <cuda/atomic>

constexpr cuda::thread_scope READER = cuda::thread_scope_device;
constexpr cuda::memory_order RELEASE = cuda::memory_order_release;
constexpr cuda::memory_order ACQUIRE = cuda::memory_order_acquire;

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_system> flag(f);
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        cuda::atomic_thread_fence(RELEASE, cuda::thread_scope_device);
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        int seen = flag.load(cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(ACQUIRE, READER);
        if (seen == 1) r = x;
    }
}

//@ launch mp<<<2, 1>>>();
//@ options races = ignore;
//@ vary READER in {device, sys};
//@ vary RELEASE in {release, relaxed};
//@ vary ACQUIRE in {acquire, relaxed};
//@ expect race_free when READER == device && RELEASE == release && ACQUIRE == acquire under hrf0;
//@ expect race on x when READER == sys || RELEASE == relaxed || ACQUIRE == relaxed under hrf0;
//@ expect race on f when READER == sys || RELEASE == relaxed || ACQUIRE == relaxed under hrf0;
//@ expect forbidden mp[1][0].r == 0 when RELEASE == release && ACQUIRE == acquire under hrf0-hw;
//@ expect allowed mp[1][0].r == 0 when RELEASE == relaxed || ACQUIRE == relaxed under hrf0-hw;
