// atomic wait and notify: the value must have changed, and the thread that waits must be told.
#include <cuda/atomic>

constexpr cuda::memory_order WAIT = cuda::memory_order_acquire;

__device__ int data = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void tell() {
    if (threadIdx.x == 0) {
        data = 1;
        flag.store(1, cuda::memory_order_release);
        flag.notify_all();
    } else {
        flag.wait(0, WAIT);
        int read = data;
    }
}

//@ launch tell<<<1, 2>>>();
//@ options races = ignore;
//@ vary WAIT in {acquire, relaxed};
//@ expect race_free when WAIT == acquire;
//@ expect required tell[0][1].read == 1 when WAIT == acquire;
//@ expect race on data when WAIT == relaxed;
//@ expect allowed tell[0][1].read == 0 when WAIT == relaxed;
//@ expect terminates;
