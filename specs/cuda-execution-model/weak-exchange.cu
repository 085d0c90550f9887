// A weak compare-exchange may fail without a reason, but not for ever: a lock that is free is taken, however often the
// thread looks in between.  One that is held by nobody who gives it back is not.
#include <cuda/atomic>

constexpr int HELD = 0;

__device__ cuda::atomic<int, cuda::thread_scope_device> lock{HELD}, tries{0};

__global__ void take() {
    int free_ = 0;
    while (!lock.compare_exchange_weak(free_, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) {
        free_ = 0;
        tries.fetch_xor(1, cuda::memory_order_relaxed);
    }
}

//@ launch take<<<1, 1>>>();
//@ vary HELD in {0, 1};
//@ expect terminates when HELD == 0;
//@ expect may_hang when HELD == 1;
//@ expect progresses;
