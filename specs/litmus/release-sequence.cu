// Release sequences: a read-modify-write by another thread continues the one headed by the release store, a later
// store by the same thread does not since C++20.
#include <cuda/atomic>

constexpr bool BY_RMW = true;

__device__ int x = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};

__global__ void rs() {
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        f.store(1, cuda::memory_order_release);
        if (!BY_RMW) f.store(2, cuda::memory_order_relaxed);
    }
    if (blockIdx.x == 1 && BY_RMW) {
        int one = 1;
        f.compare_exchange_strong(one, 2, cuda::memory_order_relaxed);
    }
    if (blockIdx.x == 2) {
        if (f.load(cuda::memory_order_acquire) == 2) r = x;
    }
}

//@ launch rs<<<3, 1>>>();
//@ options races = ignore;
//@ vary BY_RMW in {true, false};
//@ expect forbidden rs[2][0].r == 0 when BY_RMW;
//@ expect race_free when BY_RMW;
//@ expect allowed rs[2][0].r == 0 when !BY_RMW;
//@ expect race on x when !BY_RMW;
