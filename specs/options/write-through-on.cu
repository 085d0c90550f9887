// As write-through.cu with write-through caches (HRF0 paper, section 4.3): x has reached global memory when the buffer is
// empty, before f.  HRF0 calls this a race nevertheless.
#include <cuda/atomic>

__device__ int x = 0, f = 0;

__global__ void mp() {
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        cuda::atomic_ref<int, cuda::thread_scope_block>(f).store(1, cuda::memory_order_release);
    } else {
        if (cuda::atomic_ref<int, cuda::thread_scope_device>(f).load(cuda::memory_order_acquire) == 1) r = x;
    }
}

//@ launch mp<<<2, 1>>>();
//@ options write_through = on;
//@ expect forbidden mp[1][0].r == 0 under hrf0-hw;
//@ expect allowed mp[1][0].r == 1 under hrf0-hw;
