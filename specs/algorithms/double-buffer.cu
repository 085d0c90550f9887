// Producer and consumer with two buffers and a cuda::barrier for each of their states, as in the CUDA C++ Programming
// Guide.  A producer that does not wait for a buffer to be free overwrites what is still being read.
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr bool WAIT = true;
constexpr int ITEMS = 3;

__device__ int in[3] = {5, 6, 7}, out[3];

__device__ void produce(barrier* free, barrier* filled, int* buffer) {
    for (int i = 0; i < ITEMS; ++i) {
        if (WAIT) free[i % 2].arrive_and_wait();
        buffer[i % 2] = in[i];
        barrier::arrival_token token = filled[i % 2].arrive();
    }
}

__device__ void consume(barrier* free, barrier* filled, int* buffer) {
    barrier::arrival_token first = free[0].arrive();
    barrier::arrival_token second = free[1].arrive();
    for (int i = 0; i < ITEMS; ++i) {
        filled[i % 2].arrive_and_wait();
        out[i] = buffer[i % 2];
        barrier::arrival_token token = free[i % 2].arrive();
    }
}

__global__ void pipeline() {
    __shared__ int buffer[2];
    __shared__ barrier barriers[4];
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; ++i) init(barriers + i, 2);
    __syncthreads();
    if (threadIdx.x == 0)
        produce(barriers, barriers + 2, buffer);
    else
        consume(barriers, barriers + 2, buffer);
}

//@ launch pipeline<<<1, 2>>>();
//@ options races = ignore;
//@ vary WAIT in {true, false};
//@ expect race_free when WAIT;
//@ expect required out[0] == 5 && out[1] == 6 && out[2] == 7 when WAIT;
//@ expect race on pipeline.buffer when !WAIT;
//@ expect allowed out[0] == 7 when !WAIT;
//@ expect terminates when WAIT;
// Its second arrival at a barrier ends the phase in the consumer's place, which then waits for the next one.
//@ expect may_hang when !WAIT;
