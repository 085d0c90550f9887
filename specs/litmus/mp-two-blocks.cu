// Message passing at block scope: not enough across two blocks (mp-one-block.cu: enough inside one).
#include <cuda/atomic>

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(f);
    if (blockIdx.x == 0) {
        x = 1;
        flag.store(1, cuda::memory_order_release);
    } else {
        int seen = flag.load(cuda::memory_order_acquire);
        int r = seen == 1 ? x : 2;
    }
}

//@ launch mp<<<2, 1>>>();
//@ options races = ignore;
//@ expect allowed mp[1][0].r == 0;
//@ expect race;
