// Two sums of a block in the same storage: broken, no barrier is between them.
#include <cub/block/block_reduce.cuh>
const int BROKEN = 0;

__device__ int out[2];
__global__ void k() {
    using Reduce = cub::BlockReduce<int, 64>;
    __shared__ typename Reduce::TempStorage storage;
    int one = Reduce(storage).Sum(1);
    if (BROKEN == 0) __syncthreads();
    int two = Reduce(storage).Sum(2);
    if (threadIdx.x == 0) { out[0] = one; out[1] = two; }
}
//@ vary BROKEN in {0, 1};
//@ launch k<<<1, 64>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1;
//@ expect required out[0] == 64 && out[1] == 128 when BROKEN == 0;
