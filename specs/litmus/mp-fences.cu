// Message passing by fences around relaxed accesses: at device scope they synchronize, at block scope they do not
// reach the other block, although the accesses themselves are at device scope.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    if (blockIdx.x == 0) {
        x = 1;
        cuda::atomic_thread_fence(cuda::memory_order_release, S);
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        int seen = flag.load(cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_acquire, S);
        int r = seen == 1 ? x : 2;
    }
}

//@ launch mp<<<2, 1>>>();
//@ options races = ignore;
//@ vary S in {device, block};
//@ expect forbidden mp[1][0].r == 0 when S == device;
//@ expect race_free when S == device;
//@ expect allowed mp[1][0].r == 0 when S == block;
//@ expect race on x when S == block;
