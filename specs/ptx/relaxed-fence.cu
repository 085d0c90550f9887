// PTX: a relaxed fence of CUDA C++ is no fence; one that acquires and releases is.
#include <cuda/atomic>

constexpr cuda::memory_order ORDER = cuda::memory_order_acq_rel;

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    int seen = 2, r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        cuda::atomic_thread_fence(ORDER, cuda::thread_scope_device);
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        seen = flag.load(cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(ORDER, cuda::thread_scope_device);
        r = x;
    }
}

//@ launch mp<<<2, 1>>>();
//@ vary ORDER in {acq_rel, relaxed};
//@ expect forbidden mp[1][0].seen == 1 && mp[1][0].r == 0 when ORDER == acq_rel under ptx;
//@ expect allowed mp[1][0].seen == 1 && mp[1][0].r == 0 when ORDER == relaxed under ptx;
