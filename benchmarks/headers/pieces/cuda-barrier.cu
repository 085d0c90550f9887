// A barrier of a block: broken, it expects one thread fewer.
#include <cuda/barrier>
const int BROKEN = 0;

__device__ int out[4];
__global__ void k() {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int tile[4];
    if (threadIdx.x == 0) init(&bar, 4 - BROKEN);
    __syncthreads();
    tile[threadIdx.x] = 1;
    bar.arrive_and_wait();
    out[threadIdx.x] = tile[3 - threadIdx.x];
}
//@ vary BROKEN in {0, 1};
//@ launch k<<<1, 4>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1;
