// cuda::barrier: what is written before an arrival is seen after a wait for its phase.  An arrival alone waits for
// nothing, and init is no member function: it must be ordered before the arrivals.
#include <cuda/barrier>

constexpr bool WAIT = true;
constexpr bool ORDERED = true;

__device__ int data[2];

__global__ void exchange() {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    if (ORDERED) __syncthreads();
    data[threadIdx.x] = threadIdx.x + 1;
    auto token = barrier.arrive();
    if (WAIT) barrier.wait(std::move(token));
    int other = data[1 - threadIdx.x];
}

//@ launch exchange<<<1, 2>>>();
//@ options races = ignore;
//@ vary WAIT in {true, false};
//@ vary ORDERED in {true, false};
//@ expect race_free when WAIT && ORDERED;
//@ expect required exchange[0][0].other == 2 && exchange[0][1].other == 1 when WAIT && ORDERED;
//@ expect race on data when !WAIT;
//@ expect allowed exchange[0][0].other == 0 when !WAIT;
//@ expect race on exchange.barrier when !ORDERED;
//@ expect terminates when ORDERED;
