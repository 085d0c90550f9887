// The scope of a barrier object limits what it synchronises, like that of an atomic.
#include <cuda/barrier>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__device__ int data[2];
__device__ cuda::barrier<S> both(2);

__global__ void blocks() {
    data[blockIdx.x] = 1;
    both.arrive_and_wait();
    int other = data[1 - blockIdx.x];
}

//@ launch blocks<<<2, 1>>>();
//@ options races = ignore;
//@ vary S in {device, system, block};
//@ expect race_free when S != block;
//@ expect required blocks[0][0].other == 1 && blocks[1][0].other == 1 when S != block;
//@ expect race on data when S == block;
// Nothing promises that the second block starts while the first waits.
//@ expect may_hang;
