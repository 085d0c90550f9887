// A semaphore of ThunderKittens between two warps: broken, the wrong phase is waited for. needs: ThunderKittens.
#include <kittens.cuh>
const int BROKEN = 0;

__device__ int out;
__global__ void k() {
    __shared__ kittens::semaphore arrived;
    __shared__ int tile;
    if (threadIdx.x == 0) kittens::init_semaphore(arrived, 1);
    __syncthreads();
    if (threadIdx.x == 0) { tile = 7; kittens::arrive(arrived); }
    else if (threadIdx.x == 32) { kittens::wait(arrived, BROKEN); out = tile; }
}
//@ vary BROKEN in {0, 1};
//@ launch k<<<1, 64>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect required out == 7 when BROKEN == 0;
