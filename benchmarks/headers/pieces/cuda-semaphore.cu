// A lock of a semaphore: broken, it admits two.
#include <cuda/semaphore>
const int BROKEN = 0;

__device__ int data;
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 2> open_(1 + BROKEN);
__global__ void k() {
    open_.acquire();
    data++;
    open_.release();
}
//@ vary BROKEN in {0, 1};
//@ launch cooperative k<<<2, 1>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect required data == 2 when BROKEN == 0;
