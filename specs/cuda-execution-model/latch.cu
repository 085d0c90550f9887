// A latch: a thread waits until others of its block have counted it down.  All of them are owed their steps; with one
// count too many nobody brings it to zero.
#include <cuda/latch>

constexpr int COUNT = 2;

__global__ void work(cuda::latch<cuda::thread_scope_block>* done) {
    if (threadIdx.x < 2) {
        done->count_down();
    } else {
        done->wait();
    }
}

//@ object __device__ cuda::latch<cuda::thread_scope_block> done(COUNT);
//@ launch work<<<1, 3>>>(&done);
//@ vary COUNT in {2, 3};
//@ expect race_free;
//@ expect terminates when COUNT == 2;
//@ expect may_hang when COUNT == 3;
