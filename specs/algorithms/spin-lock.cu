// A spin lock around a counter: acquire on taking it and release on giving it back make the increments of two blocks
// one after the other.  Relaxed, the lock still excludes, but nothing orders the accesses to the counter.
#include <cuda/atomic>

constexpr cuda::memory_order LOCK = cuda::memory_order_acquire;
constexpr cuda::memory_order UNLOCK = cuda::memory_order_release;

__device__ int counter = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> lock{0};

__global__ void increment() {
    while (lock.exchange(1, LOCK) == 1);
    counter = counter + 1;
    lock.store(0, UNLOCK);
}

//@ launch increment<<<2, 1>>>();
//@ options races = ignore;
//@ vary LOCK in {acquire, relaxed};
//@ vary UNLOCK in {release, relaxed};
//@ expect race_free when LOCK == acquire && UNLOCK == release;
//@ expect forbidden counter == 1 when LOCK == acquire && UNLOCK == release;
//@ expect race on counter when LOCK == relaxed || UNLOCK == relaxed;
//@ expect allowed counter == 1 when LOCK == relaxed || UNLOCK == relaxed;
// A block that holds the lock has started, so it is owed the steps to give it back.
//@ expect terminates;
