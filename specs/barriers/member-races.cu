// Members of barriers, latches and semaphores "do not introduce data races as if they were atomic operations" (memory
// model, [thread.barrier.class]/4, [thread.latch.class]/2, [thread.sema.cnt]/3): two of them, at a scope that leaves out
// the other's thread, race like two such atomic operations, whether or not they hand anything over.
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

constexpr cuda::thread_scope S = cuda::thread_scope_device;
constexpr int USE = 0;

__managed__ cuda::latch<S> latch(2);
__device__ cuda::barrier<S> barrier(2);
__device__ cuda::counting_semaphore<S, 2> semaphore(2);

__global__ void members() {
    if (USE == 0) latch.count_down();
    if (USE == 1) {
        auto token = barrier.arrive();
    }
    if (USE == 2) semaphore.acquire();
}

//@ launch members<<<2, 1>>>();
//@ vary S in {device, block};
//@ vary USE in {0, 1, 2};
//@ expect race_free when S == device;
//@ expect race on latch when S == block && USE == 0;
//@ expect race on barrier when S == block && USE == 1;
//@ expect race on semaphore when S == block && USE == 2;
