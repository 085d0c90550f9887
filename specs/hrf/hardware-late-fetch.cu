// A line that is fetched after an acquire, while the newer value is still in the writer's buffer, and read after that has
// reached global memory: the reader knows from a third thread that it has.
#include <cuda/atomic>

__device__ int x;
__device__ cuda::atomic<int, cuda::thread_scope_device> written, seen;

__global__ void late() {
    if (blockIdx.x == 0) {
        x = 1;
        written.store(1, cuda::memory_order_relaxed);   // leaves x in the buffer
    } else if (blockIdx.x == 1) {
        int first = x;
        seen.store(first, cuda::memory_order_relaxed);
    } else {
        int done = written.load(cuda::memory_order_acquire);   // empties the cache
        int told = seen.load(cuda::memory_order_relaxed);
        int value = x;
    }
}

//@ launch late<<<3, 1>>>();
//@ expect race;
//@ options races = ignore;
//@ expect allowed late[2][0].done == 1 && late[2][0].told == 1 && late[2][0].value == 0 under hrf0-hw;
