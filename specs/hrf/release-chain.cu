// HRF0 paper, section 3.4: "Release op1 appears before release or acquire op2".  A release that follows another at one
// location is ordered after it, which is not so under CUDA, where only an acquire brings anything.
#include <cuda/atomic>

constexpr cuda::thread_scope SECOND = cuda::thread_scope_device;

__device__ int x = 0, a = 0;

__global__ void chain() {
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        cuda::atomic_ref<int, cuda::thread_scope_device>(a).exchange(1, cuda::memory_order_release);
    } else {
        if (cuda::atomic_ref<int, SECOND>(a).exchange(2, cuda::memory_order_release) == 1) r = x;
    }
}

//@ launch chain<<<2, 1>>>();
//@ options races = ignore;
//@ vary SECOND in {device, sys};
//@ expect race on x under cuda;
//@ expect race_free when SECOND == device under hrf0;
//@ expect race on x when SECOND == sys under hrf0;
//@ expect forbidden chain[1][0].r == 0 under hrf0;
//@ expect forbidden chain[1][0].r == 0 under hrf0-hw;
