// A barrier of all blocks, in global memory: broken, its scope is the block.
#include <cuda/barrier>
const int BROKEN = 0;

__device__ int data[2], out[2];
__device__ cuda::barrier<BROKEN ? cuda::thread_scope_block : cuda::thread_scope_device> bar(2);
__global__ void k() {
    data[blockIdx.x] = 1;
    bar.arrive_and_wait();
    out[blockIdx.x] = data[1 - blockIdx.x];
}
//@ vary BROKEN in {0, 1};
//@ launch cooperative k<<<2, 1>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1;
