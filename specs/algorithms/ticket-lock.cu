// A ticket lock: threads are served in the order in which they took their tickets.  The release of one and the acquire
// of the next order their accesses to the counter; relaxed, the lock still excludes and orders nothing.
#include <cuda/atomic>

constexpr cuda::memory_order SERVE = cuda::memory_order_release;

struct TicketLock {
    cuda::atomic<unsigned, cuda::thread_scope_device> next{0};
    cuda::atomic<unsigned, cuda::thread_scope_device> serving{0};

    __device__ void lock() {
        const unsigned mine = next.fetch_add(1, cuda::memory_order_relaxed);
        while (serving.load(cuda::memory_order_acquire) != mine);
    }

    __device__ void unlock() { serving.store(serving.load(cuda::memory_order_relaxed) + 1, SERVE); }
};

__device__ TicketLock lock;
__device__ int counter = 0;

__global__ void increment() {
    lock.lock();
    counter = counter + 1;
    lock.unlock();
}

//@ launch increment<<<2, 1>>>();
//@ options races = ignore;
//@ vary SERVE in {release, relaxed};
//@ expect race_free when SERVE == release;
//@ expect required counter == 2 when SERVE == release;
//@ expect race on counter when SERVE == relaxed;
//@ expect allowed counter == 1 when SERVE == relaxed;
// The holder of the ticket that is served has started, so it is owed the steps to serve the next.
//@ expect terminates;
