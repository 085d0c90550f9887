// DeepGEMM's barrier of all blocks: broken, only some of a block's threads meet before it. needs: DeepGEMM cutlass.
#include <deep_gemm/comm/barrier.cuh>
const int BROKEN = 0;

__device__ unsigned counts[16];
__device__ int data[2], out[2];
__global__ void k() {
    deep_gemm::layout::Workspace space(counts, 1, 1, 1, 1, 1);
    if (threadIdx.x == 1) data[blockIdx.x] = 1;
    deep_gemm::comm::grid_sync<2>(space, blockIdx.x, threadIdx.x, [] { if (BROKEN == 0) __syncthreads(); else __syncwarp(1u << threadIdx.x); });
    if (threadIdx.x == 1) out[blockIdx.x] = data[1 - blockIdx.x];
}
//@ vary BROKEN in {0, 1};
//@ launch cooperative k<<<2, 2>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1;
