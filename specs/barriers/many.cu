// A barrier of 100 threads, in which one arrives for those that are not there.
#include <cuda/barrier>

constexpr int ARRIVE = 99;

__device__ int data;

__global__ void many() {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x * 50);
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier.wait(barrier.arrive(99));
        data = 1;
        (void)barrier.arrive(ARRIVE);
    } else {
        barrier.arrive_and_wait();
        barrier.arrive_and_wait();
        data = data + 1;
    }
}

//@ launch many<<<1, 2>>>();
//@ vary ARRIVE in {99, 98};
//@ expect race_free;
//@ expect required data == 2 when ARRIVE == 99;
//@ expect terminates when ARRIVE == 99;
// One arrival is missing in the second phase.
//@ expect may_hang when ARRIVE == 98;
