// The wait of an atomic looks again only when it is notified: without a notification after the store it may sleep for
// ever, and one notification wakes one of two threads.
#include <cuda/atomic>

constexpr int ALL = 0, ONE = 1, NONE = 2;
constexpr int HOW = ALL;
constexpr int WAITERS = 1;

__device__ cuda::atomic<int, cuda::thread_scope_block> flag{0};

__global__ void sleepers() {
    if (threadIdx.x == 0) {
        flag.store(1, cuda::memory_order_release);
        if (HOW == ALL) flag.notify_all();
        if (HOW == ONE) flag.notify_one();
    } else {
        flag.wait(0, cuda::memory_order_acquire);
    }
}

//@ launch sleepers<<<1, 1 + WAITERS>>>();
//@ vary HOW in {0, 1, 2};
//@ vary WAITERS in {1, 2};
//@ expect race_free;
//@ expect terminates when HOW == ALL || (HOW == ONE && WAITERS == 1);
//@ expect may_hang when HOW == NONE || (HOW == ONE && WAITERS == 2);
