// A try_ function may fail without a reason, and synchronises where it succeeds.
#include <cuda/semaphore>

__device__ int data = 0;
__device__ cuda::binary_semaphore<cuda::thread_scope_device> full(0);

__global__ void attempt() {
    if (threadIdx.x == 0) {
        data = 1;
        full.release();
    } else {
        bool taken = full.try_acquire();
        int read = taken ? data : -1;
    }
}

//@ launch attempt<<<1, 2>>>();
//@ expect race_free;
//@ expect forbidden attempt[0][1].read == 0;
//@ expect allowed attempt[0][1].taken == 0;
//@ expect allowed attempt[0][1].read == 1;
//@ expect terminates;
