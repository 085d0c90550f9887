// A named barrier of two warps: broken, each has its own. needs: cutlass.
#include <cutlass/arch/barrier.h>
const int BROKEN = 0;

__device__ int out[64];
__global__ void k() {
    __shared__ int tile[64];
    tile[threadIdx.x] = 1;
    if (BROKEN == 0)
        cutlass::arch::NamedBarrier::sync(64, 0u);
    else
        cutlass::arch::NamedBarrier::sync(32, threadIdx.x / 32);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
//@ vary BROKEN in {0, 1};
//@ launch k<<<1, 64>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect terminates;
