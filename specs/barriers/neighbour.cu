// Each thread writes its element of a tile and reads its neighbour's: without a barrier between the two they race, on every
// element that a neighbour reads, in each block whose threads do so.
#include <cuda/atomic>

constexpr bool BARRIER = true;
constexpr int READERS = 2;

__global__ void shift(int* out) {
    __shared__ int tile[2];
    int lane = threadIdx.x;
    tile[lane] = lane + 1;
    if (BARRIER) __syncthreads();
    if (blockIdx.x == 0 && lane < READERS) out[lane] = tile[1 - lane];
}

//@ object __device__ int out[2];
//@ launch shift<<<2, 2>>>(out);
//@ vary BARRIER in {true, false};
//@ vary READERS in {2, 1};
//@ expect race_free when BARRIER;
//@ expect required out[0] == 2 && (out[1] == 1 || READERS == 1) when BARRIER;
//@ expect race on tile when !BARRIER;
//@ expect race on shift[0][0].tile[1] when !BARRIER;
//@ expect race on tile[0] when !BARRIER && READERS == 2;
