// A lock as a class template, held by an object: its destructor gives the lock back on every way out.  A lock of block
// scope does not order the threads of two blocks.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

template <cuda::thread_scope Scope>
class Lock {
    cuda::atomic<bool, Scope> taken{false};

public:
    __device__ void lock() {
        bool expected = false;
        while (!taken.compare_exchange_weak(expected, true, cuda::memory_order_acquire, cuda::memory_order_relaxed))
            expected = false;
    }
    __device__ void unlock() { taken.store(false, cuda::memory_order_release); }
};

template <typename Mutex>
struct Guard {
    Mutex& mutex;
    __device__ explicit Guard(Mutex& held) : mutex(held) { mutex.lock(); }
    __device__ ~Guard() { mutex.unlock(); }
};

__device__ Lock<S> lock;
__device__ int balance = 0;

__device__ int deposit(bool twice) {
    Guard<Lock<S>> guard(lock);
    if (twice) return balance += 2;
    return ++balance;
}

__global__ void account() { int after = deposit(blockIdx.x == 1); }

//@ launch account<<<2, 1>>>();
//@ options races = ignore;
//@ vary S in {device, block};
//@ expect race_free when S == device;
//@ expect required balance == 3 when S == device;
//@ expect forbidden account[0][0].after == 1 && account[1][0].after == 2 when S == device;
//@ expect race on balance when S == block;
//@ expect allowed balance == 1 when S == block;
//@ expect terminates;
