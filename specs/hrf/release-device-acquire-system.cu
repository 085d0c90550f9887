// A release at device scope read by an acquire at system scope on one device: CUDA asks that each scope include the
// other thread, not that they be equal (HRF0 asks that).  A release at block scope does not include the reader.
#include <cuda/atomic>

constexpr cuda::thread_scope RELEASE = cuda::thread_scope_device;

__device__ int x = 0, f = 0;

__global__ void mp() {
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        cuda::atomic_ref<int, RELEASE>(f).store(1, cuda::memory_order_release);
    } else {
        if (cuda::atomic_ref<int, cuda::thread_scope_system>(f).load(cuda::memory_order_acquire) == 1) r = x;
    }
}

//@ launch mp<<<2, 1>>>();
//@ options races = ignore;
//@ vary RELEASE in {device, block};
//@ expect forbidden mp[1][0].r == 0 when RELEASE == device;
//@ expect race_free when RELEASE == device;
//@ expect allowed mp[1][0].r == 0 when RELEASE == block;
//@ expect race on f when RELEASE == block;
//@ expect race on f under hrf0, hrf-indirect;
//@ expect race_free under sc-drf;
//@ expect forbidden mp[1][0].r == 0 when RELEASE == device under hrf0-hw;
//@ expect allowed mp[1][0].r == 0 when RELEASE == block under hrf0-hw;
