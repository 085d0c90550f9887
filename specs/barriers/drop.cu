// arrive_and_drop: a thread that leaves is not waited for in later phases.
#include <cuda/barrier>

constexpr bool DROP = true;

__device__ int data[2];

__global__ void leave() {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, 2);
    __syncthreads();
    data[threadIdx.x] = 1;
    if (threadIdx.x == 1) {
        if (DROP)
            barrier.arrive_and_drop();
        else
            (void)barrier.arrive();
    } else {
        barrier.arrive_and_wait();
        data[1] = data[1] + 1;
        barrier.arrive_and_wait();
        data[0] = 2;
    }
}

//@ launch leave<<<1, 2>>>();
//@ vary DROP in {true, false};
//@ expect race_free;
//@ expect required data[0] == 2 && data[1] == 2 when DROP;
//@ expect terminates when DROP;
// A barrier that still counts the thread waits for it in the second phase.
//@ expect may_hang when !DROP;
