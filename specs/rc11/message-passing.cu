// RC11 ignores scopes: a release at block scope synchronizes with an acquire in another block.
#include <cuda/atomic>

constexpr cuda::memory_order RELEASE = cuda::memory_order_release;
constexpr cuda::memory_order ACQUIRE = cuda::memory_order_acquire;

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(f);
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        flag.store(1, RELEASE);
    } else {
        if (flag.load(ACQUIRE) == 1) r = x;
    }
}

//@ launch mp<<<2, 1>>>();
//@ options races = ignore;
//@ vary RELEASE in {release, relaxed};
//@ vary ACQUIRE in {acquire, relaxed};
//@ expect forbidden mp[1][0].r == 0 when RELEASE == release && ACQUIRE == acquire under rc11;
//@ expect race_free when RELEASE == release && ACQUIRE == acquire under rc11;
//@ expect allowed mp[1][0].r == 0 when RELEASE == relaxed || ACQUIRE == relaxed under rc11;
//@ expect race on x when RELEASE == relaxed || ACQUIRE == relaxed under rc11;
