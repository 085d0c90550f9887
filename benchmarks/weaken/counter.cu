// A count of events, that nobody reads before the kernel has ended: each addition orders all that the thread did.
#include <cuda/atomic>

__device__ cuda::atomic<int> events{0};

__global__ void count() {
    events.fetch_add(1);
}

//@ launch count<<<2, 2>>>();
//@ expect race_free;
//@ expect required events >= 4;
