// PTX: fences with relaxed accesses synchronize where their scopes include the other thread, and waiting at a barrier counts
// as a fence.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        cuda::atomic_thread_fence(cuda::memory_order_acq_rel, S);
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        int seen = flag.load(cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_acq_rel, S);
        if (seen == 1) r = x;
    }
}

//@ launch mp<<<2, 1>>>();
//@ vary S in {device, block};
//@ expect forbidden mp[1][0].r == 0 when S == device under ptx;
//@ expect allowed mp[1][0].r == 0 when S == block under ptx;
