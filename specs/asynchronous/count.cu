// A phase ends when as many have arrived as the barrier was made for; it is for whoever waits to know when the barrier is made.
#include <cuda/barrier>
constexpr int COUNT = 1;       // arrivals of a phase
constexpr bool MEETS = true;   // before the first arrival all wait until the barrier is made

__device__ int out;

__global__ void k() {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int data;
    if (threadIdx.x == 0) init(&bar, COUNT);
    if (MEETS) __syncthreads();
    if (threadIdx.x == 1) {
        data = 1;
        (void)bar.arrive();
    } else {
        bar.wait_parity(false);
        out = data;
    }
}

//@ launch k<<<1, 2>>>();
//@ vary COUNT in {1, 2};
//@ vary MEETS in {true, false};
//@ expect race_free when MEETS;
//@ expect race on bar when !MEETS;
//@ expect terminates when MEETS && COUNT == 1;
//@ expect may_hang when MEETS && COUNT == 2;
