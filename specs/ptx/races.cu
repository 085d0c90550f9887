// PTX: "Two conflicting memory operations are said to be in a data-race if they are not related in causality order and they
// are not morally strong."  A race is no undefined behaviour: what it may lead to is still told.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;
constexpr bool WEAK = false;
constexpr bool WRITES = true;

__device__ int x = 0;

__global__ void race() {
    cuda::atomic_ref<int, S> atomic(x);
    int r = 2;
    if (blockIdx.x == 0) {
        if (!WRITES) r = atomic.load(cuda::memory_order_relaxed);
        else if (WEAK) x = 1;
        else atomic.store(1, cuda::memory_order_relaxed);
    } else {
        r = atomic.load(cuda::memory_order_relaxed);
    }
}

//@ launch race<<<2, 1>>>();
//@ vary S in {device, block};
//@ vary WEAK in {false, true};
//@ vary WRITES in {true, false};
//@ expect race_free when !WRITES || (S == device && !WEAK) under ptx;
//@ expect race on x when WRITES && (S != device || WEAK) under ptx;
//@ expect allowed race[1][0].r == 0 under ptx;
//@ expect forbidden race[1][0].r != 0 && race[1][0].r != 1 under ptx;
