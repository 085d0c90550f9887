// A sequential sum of what the block wrote: broken, no barrier is before.
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
const int BROKEN = 0;

__device__ int out;
__global__ void k() {
    __shared__ int tile[8];
    tile[threadIdx.x] = 1;
    if (BROKEN == 0) __syncthreads();
    if (threadIdx.x == 0) out = thrust::reduce(thrust::seq, tile, tile + 8);
}
//@ vary BROKEN in {0, 1};
//@ launch k<<<1, 8>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect required out == 8 when BROKEN == 0;
