// A histogram in shared memory: broken, read without a barrier.
#include <cub/block/block_histogram.cuh>
const int BROKEN = 0;

__device__ int out[4];
__global__ void k() {
    using Histogram = cub::BlockHistogram<unsigned char, 32, 1, 4, cub::BLOCK_HISTO_ATOMIC>;
    __shared__ typename Histogram::TempStorage storage;
    __shared__ int bins[4];
    unsigned char mine[1] = {static_cast<unsigned char>(threadIdx.x % 4)};
    Histogram(storage).Histogram(mine, bins);
    if (BROKEN == 0) __syncthreads();
    if (threadIdx.x < 4) out[threadIdx.x] = bins[threadIdx.x];
}
//@ vary BROKEN in {0, 1};
//@ launch k<<<1, 32>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect required out[1] == 8 when BROKEN == 0;
