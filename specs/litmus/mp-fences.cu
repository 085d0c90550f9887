// Message passing by fences around relaxed accesses.  "Each operation (A, B, X, and Y) specifies a scope that includes
// the thread that performed each other operation": fences at block scope do not reach the other block although the
// accesses do, and accesses at block scope do not although the fences do.
#include <cuda/atomic>

constexpr cuda::thread_scope FENCES = cuda::thread_scope_device;
constexpr cuda::thread_scope ACCESSES = cuda::thread_scope_device;

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, ACCESSES> flag(f);
    if (blockIdx.x == 0) {
        x = 1;
        cuda::atomic_thread_fence(cuda::memory_order_release, FENCES);
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        int seen = flag.load(cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_acquire, FENCES);
        int r = seen == 1 ? x : 2;
    }
}

//@ launch mp<<<2, 1>>>();
//@ options races = ignore;
//@ vary FENCES in {device, block};
//@ vary ACCESSES in {device, block};
//@ expect forbidden mp[1][0].r == 0 when FENCES == device && ACCESSES == device;
//@ expect race_free when FENCES == device && ACCESSES == device;
//@ expect allowed mp[1][0].r == 0 when FENCES == block || ACCESSES == block;
//@ expect race on x when FENCES == block || ACCESSES == block;
//@ expect race on f when ACCESSES == block;
