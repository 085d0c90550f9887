// Several host threads have concurrent forward progress: one that has been created makes progress whatever the others
// do.  A call that waits inside one does not hold up another.
#include <cuda/atomic>
#include <thread>

constexpr int OTHER_THREAD = 0, BEFORE_JOIN = 1, NOWHERE = 2;
constexpr int WHERE = OTHER_THREAD;

__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};

__global__ void producer() { flag.store(1, cuda::memory_order_relaxed); }

int main() {
    producer<<<1, 1>>>();
    std::thread waits([] { while (flag.load(cuda::memory_order_relaxed) == 0) std::this_thread::yield(); });
    if (WHERE == OTHER_THREAD) {
        std::thread synchronizes([] { cudaDeviceSynchronize(); });
        waits.join();
        synchronizes.join();
    } else {
        if (WHERE == BEFORE_JOIN) cudaDeviceSynchronize();
        waits.join();
    }
    return 0;
}

//@ vary WHERE in {0, 1, 2};
//@ expect race_free;
//@ expect terminates when WHERE != NOWHERE;
//@ expect may_hang when WHERE == NOWHERE;
