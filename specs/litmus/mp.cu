// Message passing with a stale read asked for: release/acquire at device scope forbids it, a store at block scope does
// not reach the other block, and races.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__device__ int x = 0, f = 0;

__global__ void mp() {
    if (blockIdx.x == 0) {
        x = 1;
        cuda::atomic_ref<int, S>(f).store(1, cuda::memory_order_release);
    } else {
        int seen = cuda::atomic_ref<int, cuda::thread_scope_device>(f).load(cuda::memory_order_acquire);
        if (seen == 1) {
            int r = x;
        }
    }
}

//@ launch mp<<<2, 1>>>();
//@ options races = ignore;
//@ vary S in {device, block, system};
//@ expect forbidden mp[1][0].seen == 1 && mp[1][0].r == 0 when S != block;
//@ expect allowed mp[1][0].seen == 1 && mp[1][0].r == 0 when S == block;
//@ expect allowed mp[1][0].seen == 1 && mp[1][0].r == 1;
//@ expect race_free when S != block;
//@ expect race on f when S == block;
