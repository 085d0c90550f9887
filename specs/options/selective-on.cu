// As selective.cu with selective flushes (HRF0 paper, section 4.3): x is not among the locations "touched by the
// synchronizing thread", unless it wrote x too, whoever wrote it last.
#include <cuda/atomic>

constexpr bool BOTH = false;

__device__ int x = 0;
__device__ cuda::atomic<int, cuda::thread_scope_block> a{0};
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};

__global__ void relay() {
    int r = 3;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        x = 1;
        a.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 0) {
        if (BOTH) x = 2;
        if (a.load(cuda::memory_order_acquire) == 1) f.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 0) {
        if (f.load(cuda::memory_order_acquire) == 1) r = x;
    }
}

//@ launch relay<<<2, 2>>>();
//@ vary BOTH in {false, true};
//@ options selective = on;
//@ expect allowed relay[1][0].r == 0 when BOTH == false under hrf0-hw;
//@ expect forbidden relay[1][0].r == 0 when BOTH == true under hrf0-hw;
