// A message with two readers: reads of one object do not race with each other, a write by one of the readers does.
#include <cuda/atomic>

constexpr bool WRITES = false;

__device__ int x = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};

__global__ void mp() {
    int r = 1;
    if (blockIdx.x == 0) {
        x = 1;
        f.store(1, cuda::memory_order_release);
    } else if (f.load(cuda::memory_order_acquire) == 1) {
        if (WRITES && blockIdx.x == 1) {
            x = 2;
        } else {
            r = x;
        }
    }
}

//@ launch mp<<<3, 1>>>();
//@ options races = ignore;
//@ vary WRITES in {false, true};
//@ expect race_free when !WRITES;
//@ expect forbidden mp[2][0].r == 0;
//@ expect race on x when WRITES;
