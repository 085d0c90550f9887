// Threads meet at a barrier that is an object, in two halves, and at once again.
#include <cuda/barrier>

__device__ int data[2];

__global__ void exchange() {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    data[threadIdx.x] = threadIdx.x + 1;
    auto token = bar.arrive();
    bar.wait(std::move(token));
    bar.arrive_and_wait();
    int other = data[1 - threadIdx.x];
    assert(other == 2 - threadIdx.x);
}

//@ launch exchange<<<1, 2>>>();
//@ expect race_free;
//@ expect terminates;
