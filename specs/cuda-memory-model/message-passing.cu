// Memory model, "Example: Message Passing", the first program: a message passed from block 0 to block 1 through a flag.
// Race free, and the assertion holds: the release store synchronizes with the acquire load, and each is at a scope
// that includes the thread of the other.  With relaxed orders nothing orders the accesses to x.
#include <cassert>
#include <cuda/atomic>

constexpr cuda::memory_order STORE = cuda::memory_order_release;
constexpr cuda::memory_order LOAD = cuda::memory_order_acquire;

__device__ int x = 0;
__device__ int f = 0;

__global__ void message_passing() {
    if (blockIdx.x == 0) {
        x = 42;
        cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
        flag.store(1, STORE);
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
        while (flag.load(LOAD) != 1);
        assert(x == 42);
    }
}

//@ launch message_passing<<<2, 1>>>();
//@ vary STORE in {release, relaxed};
//@ vary LOAD in {acquire, relaxed};
//@ expect race_free when STORE == release && LOAD == acquire;
//@ expect race on x when STORE == relaxed || LOAD == relaxed;
// Execution model, "Device threads": nothing owes a start to block 0 while block 1 waits.
//@ expect may_hang when STORE == release && LOAD == acquire;
