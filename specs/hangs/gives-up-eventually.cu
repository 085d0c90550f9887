// A wait that gives up after a thousand turns, and is taken to do so.
#include <cuda/atomic>

constexpr bool ARRIVES = false;

__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void wait() {
    if (threadIdx.x == 0) {
        for (int turns = 0; turns < 1000; turns++) {
            if (flag.load(cuda::memory_order_relaxed) != 0) break;
        }
    } else if (ARRIVES) {
        flag.store(1, cuda::memory_order_relaxed);
    }
}

//@ options timeouts = eventually;
//@ launch wait<<<1, 2>>>();
//@ vary ARRIVES in {true, false};
//@ expect terminates;
