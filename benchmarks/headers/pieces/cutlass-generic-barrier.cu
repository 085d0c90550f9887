// A flag between blocks: broken, not waited for. needs: cutlass.
#include <cutlass/barrier.h>
const int BROKEN = 0;

__device__ int data, flag, out;
__global__ void k() {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) data = 1;
        cutlass::Barrier::arrive_inc(&flag, threadIdx.x, 0);
    } else {
        if (BROKEN == 0) cutlass::Barrier::wait_eq(&flag, threadIdx.x, 0);
        if (threadIdx.x == 1) out = data;
    }
}
//@ vary BROKEN in {0, 1};
//@ launch cooperative k<<<2, 2>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect terminates;
