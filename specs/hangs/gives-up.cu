// A wait that gives up after a thousand turns ends, whether or not what it waits for comes: the count is up at last.  One that
// a clock bounds is one that waits for ever, unless it is said that it gives up.
#include <cuda/atomic>

constexpr bool ARRIVES = false, CLOCK = false;

__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void wait() {
    if (threadIdx.x == 0) {
        long long start = clock64();
        for (int turns = 0; CLOCK ? clock64() - start < 1000 : turns < 1000; turns++) {
            if (flag.load(cuda::memory_order_relaxed) != 0) break;
        }
    } else if (ARRIVES) {
        flag.store(1, cuda::memory_order_relaxed);
    }
}

//@ launch wait<<<1, 2>>>();
//@ vary ARRIVES in {true, false};
//@ vary CLOCK in {true, false};
//@ expect terminates when ARRIVES || !CLOCK;
//@ expect may_hang when !ARRIVES && CLOCK;
