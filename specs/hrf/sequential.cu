// HRF0 paper, section 3.4: executions are sequentially consistent, so store buffering is not to be seen.  Where every
// synchronization operation has the same scope the program is race free (Guideline 1 of section 3.5).
#include <cuda/atomic>

constexpr cuda::thread_scope OTHER = cuda::thread_scope_device;

__device__ int x = 0, y = 0;

__global__ void sb() {
    int r = 2;
    if (blockIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device>(x).store(1, cuda::memory_order_release);
        r = cuda::atomic_ref<int, cuda::thread_scope_device>(y).load(cuda::memory_order_acquire);
    } else {
        cuda::atomic_ref<int, OTHER>(y).store(1, cuda::memory_order_release);
        r = cuda::atomic_ref<int, OTHER>(x).load(cuda::memory_order_acquire);
    }
}

//@ launch sb<<<2, 1>>>();
//@ options races = ignore;
//@ vary OTHER in {device, sys};
//@ expect allowed sb[0][0].r == 0 && sb[1][0].r == 0 under cuda;
//@ expect forbidden sb[0][0].r == 0 && sb[1][0].r == 0 under hrf0, sc-drf;
//@ expect race_free when OTHER == device under hrf0;
//@ expect race when OTHER == sys under hrf0;
//@ expect race_free under sc-drf;
//@ expect forbidden sb[0][0].r == 0 && sb[1][0].r == 0 under hrf0-hw;
