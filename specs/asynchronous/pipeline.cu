// A tile is copied while the one before it is read, in two stages: all have to have read a stage before it is copied over.
#include <cuda/pipeline>
constexpr int TILES = 3, STAGES = 2;
constexpr bool FULL = true;    // meet when a tile is there
constexpr bool EMPTY = true;   // meet when a tile is read

__device__ int in[TILES][2], out[TILES][2];

__global__ void k() {
    __shared__ int tile[STAGES][2];
    const int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[0][t], &in[0][t], sizeof(int), pipe);
    pipe.producer_commit();
    for (int i = 0; i < TILES; ++i) {
        pipe.producer_acquire();
        if (i + 1 < TILES) cuda::memcpy_async(&tile[(i + 1) % STAGES][t], &in[i + 1][t], sizeof(int), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        if (FULL) __syncthreads();
        out[i][t] = tile[i % STAGES][1 - t];
        if (EMPTY) __syncthreads();
        pipe.consumer_release();
    }
}

//@ launch k<<<1, 2>>>();
//@ vary FULL in {true, false};
//@ vary EMPTY in {true, false};
//@ expect race_free when FULL && EMPTY;
//@ expect race when !FULL || !EMPTY;
