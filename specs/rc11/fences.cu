// RC11: fences with relaxed accesses before and after them synchronize.
#include <cuda/atomic>

constexpr cuda::memory_order RELEASE = cuda::memory_order_release;
constexpr cuda::memory_order ACQUIRE = cuda::memory_order_acquire;

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        cuda::atomic_thread_fence(RELEASE, cuda::thread_scope_device);
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        int seen = flag.load(cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(ACQUIRE, cuda::thread_scope_device);
        if (seen == 1) r = x;
    }
}

//@ launch mp<<<2, 1>>>();
//@ vary RELEASE in {release, relaxed};
//@ vary ACQUIRE in {acquire, relaxed};
//@ expect race_free when RELEASE == release && ACQUIRE == acquire under rc11;
//@ expect race on x when RELEASE == relaxed || ACQUIRE == relaxed under rc11;
