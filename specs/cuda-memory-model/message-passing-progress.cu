// The termination of the message-passing example (execution model, "Device threads"): the reader waits for a thread of
// its own block, which is owed progress once the reader has made some, or for another block, which is not.
#include <cassert>
#include <cuda/atomic>

constexpr int BLOCKS = 2;

__device__ int x = 0;
__device__ int f = 0;

__global__ void message_passing() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        x = 42;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) != 1);
        assert(x == 42);
    }
}

//@ launch message_passing<<<BLOCKS, 2 / BLOCKS>>>();
//@ vary BLOCKS in {1, 2};
//@ expect race_free;
//@ expect terminates when BLOCKS == 1;
//@ expect may_hang when BLOCKS == 2;
