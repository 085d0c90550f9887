// A wait that a clock bounds, and that is taken to give up at last.
#include <cuda/atomic>

constexpr bool ARRIVES = false, WATCHDOG = false;

__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void wait() {
    if (threadIdx.x == 0) {
        long long start = clock64();
        while (flag.load(cuda::memory_order_relaxed) == 0) {
            if (clock64() - start > 1000) {
                if (WATCHDOG) __trap();
                break;
            }
        }
    } else if (ARRIVES) {
        flag.store(1, cuda::memory_order_relaxed);
    }
}

//@ options timeouts = eventually;
//@ launch wait<<<1, 2>>>();
//@ vary ARRIVES in {true, false};
//@ vary WATCHDOG in {true, false};
//@ expect terminates;
