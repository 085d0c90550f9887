// What a thread does before it issues a copy comes before the copy; what it does behind the issue does not, and may not
// change what the copy reads before a wait says that it is complete.
#include <cuda_pipeline.h>
constexpr int WRITES = 0;      // 0: before the issue, 1: behind it, 2: behind the wait

__device__ int in[1], out;

__global__ void k() {
    __shared__ int tile[1];
    if (WRITES == 0) in[0] = 1;
    __pipeline_memcpy_async(tile, in, sizeof(int));
    __pipeline_commit();
    if (WRITES == 1) in[0] = 1;
    __pipeline_wait_prior(0);
    if (WRITES == 2) in[0] = 1;
    out = tile[0];
}

//@ launch k<<<1, 1>>>();
//@ vary WRITES in {0, 1, 2};
//@ expect race_free when WRITES != 1;
//@ expect race on in when WRITES == 1;
//@ expect required out == 1 when WRITES == 0;
//@ expect required out == 0 when WRITES == 2;
