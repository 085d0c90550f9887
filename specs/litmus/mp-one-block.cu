// Message passing at block scope: enough inside one block (mp-two-blocks.cu: not across two).
#include <cuda/atomic>

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(f);
    if (threadIdx.x == 0) {
        x = 1;
        flag.store(1, cuda::memory_order_release);
    } else {
        int seen = flag.load(cuda::memory_order_acquire);
        int r = seen == 1 ? x : 2;
    }
}

//@ launch mp<<<1, 2>>>();
//@ expect forbidden mp[0][1].r == 0;
//@ expect allowed mp[0][1].r == 1;
//@ expect race_free;
