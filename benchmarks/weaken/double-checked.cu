// Something is made once: a look before the lock, and one behind it.  The flag is seq_cst, the lock orders as well.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> made{0}, mutex{0};
__device__ int thing = 0;

__global__ void use() {
    if (made.load(cuda::memory_order_seq_cst) == 0) {
        while (mutex.exchange(1, cuda::memory_order_seq_cst) != 0);
        if (made.load(cuda::memory_order_seq_cst) == 0) {
            thing += 3;
            made.store(1, cuda::memory_order_seq_cst);
        }
        mutex.store(0, cuda::memory_order_seq_cst);
    }
    int seen = thing;
}

//@ launch use<<<2, 1>>>();
//@ expect race_free;
//@ expect required use[0][0].seen == 3 && use[1][0].seen == 3;
