// A copy through a pipeline: broken, it is not waited for.
#include <cuda/pipeline>
const int BROKEN = 0;

__device__ int in[4], out[4];
__global__ void k() {
    __shared__ int tile[4];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int), pipe);
    pipe.producer_commit();
    if (BROKEN == 0) pipe.consumer_wait();
    out[threadIdx.x] = tile[threadIdx.x];
    pipe.consumer_release();
}
//@ vary BROKEN in {0, 1};
//@ launch k<<<1, 4>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1;
