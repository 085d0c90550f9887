// A thread may look at a latch before a thread of another block has counted it down.  What orders that later, by a flag of
// device scope and a thread of its own block that counts down last, orders only the look that succeeds.
#include <cuda/atomic>
#include <cuda/latch>

constexpr cuda::thread_scope S = cuda::thread_scope_block;
constexpr bool LOOKS_EARLY = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> counted{0};
__managed__ cuda::latch<S> latch(2);

__global__ void count() {
    if (blockIdx.x == 1) {
        if (threadIdx.x == 0) {
            latch.count_down();
            counted.store(1, cuda::memory_order_release);
        }
    } else if (threadIdx.x == 0) {
        while (counted.load(cuda::memory_order_acquire) == 0);
        latch.count_down();
    } else {
        if (!LOOKS_EARLY) while (counted.load(cuda::memory_order_acquire) == 0);
        latch.wait();
    }
}

//@ launch count<<<2, 2>>>();
//@ vary S in {block, device};
//@ vary LOOKS_EARLY in {true, false};
//@ expect race on latch when S == block && LOOKS_EARLY;
//@ expect race_free when S == device || !LOOKS_EARLY;
