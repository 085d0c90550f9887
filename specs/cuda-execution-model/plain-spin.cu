// A thread that waits for another by reading an ordinary object: the implementation may assume that it will eventually
// do something that counts, and that it does not is undefined behaviour (it is a race, too).  An atomic read counts.
#include <cuda/atomic>

constexpr bool ATOMIC = true;

__device__ int flag = 0;

__global__ void wait() {
    cuda::atomic_ref<int, cuda::thread_scope_block> f(flag);
    if (threadIdx.x == 0) {
        while ((ATOMIC ? f.load(cuda::memory_order_relaxed) : flag) == 0);
    } else {
        f.store(1, cuda::memory_order_relaxed);
    }
}

//@ launch wait<<<1, 2>>>();
//@ vary ATOMIC in {true, false};
//@ expect race_free when ATOMIC;
//@ expect terminates when ATOMIC;
//@ expect race on flag when !ATOMIC;
//@ expect may_hang when !ATOMIC;
//@ expect may_stall when !ATOMIC;
