// Memory model, "Example: Message Passing", the second program: the store is at block scope, which does not include
// the thread of block 1.  Store and load are then not atomic at a scope that includes the thread of the other: a race.
#include <cassert>
#include <cuda/atomic>

constexpr cuda::thread_scope STORE = cuda::thread_scope_block;

__device__ int x = 0;
__device__ int f = 0;

__global__ void message_passing() {
    if (blockIdx.x == 0) {
        x = 42;
        cuda::atomic_ref<int, STORE> flag(f);
        flag.store(1, cuda::memory_order_release);  // UB: data race
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
        while (flag.load(cuda::memory_order_acquire) != 1);  // UB: data race
        assert(x == 42);
    }
}

//@ launch message_passing<<<2, 1>>>();
//@ vary STORE in {block, device};
//@ expect race on f when STORE == block;
//@ expect race_free when STORE == device;
