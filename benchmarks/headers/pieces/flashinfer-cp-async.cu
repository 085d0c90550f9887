// A copy of 16 bytes a thread: broken, its group is not waited for. needs: flashinfer.
#include <flashinfer/cp_async.cuh>
const int BROKEN = 0;

__device__ int in[32];
__device__ int out[8];
__global__ void k() {
    __shared__ alignas(16) int tile[32];
    flashinfer::cp_async::load_128b<flashinfer::cp_async::PrefetchMode::kNoPrefetch>(&tile[4 * threadIdx.x], &in[4 * threadIdx.x]);
    flashinfer::cp_async::commit_group();
    flashinfer::cp_async::wait_group<BROKEN>();
    __syncthreads();
    out[threadIdx.x] = tile[4 * (7 - threadIdx.x)];
}
//@ vary BROKEN in {0, 1};
//@ launch k<<<1, 8>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1;
