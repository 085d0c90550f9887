// Two threads that wait for each other do not set each other free: what comes after a wait depends on what it reads.  So
// does what waits for the thread at a barrier, and the result of a vote.  A third thread ends the first wait with a 2.
#include <cuda/atomic>

constexpr int THROUGH = 0;   // who answers: 0: the thread that waits; 1: one that meets it at a barrier; 2: one that counts

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void waits() {
    int seen = 0;
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            do seen = x.load(cuda::memory_order_relaxed); while (THROUGH < 2 && seen == 0);
        }
        int votes = 1;
        if (THROUGH == 1) __syncthreads();
        if (THROUGH == 2) votes = __syncthreads_or(seen);
        if (threadIdx.x == (THROUGH > 0)) {
            if (votes) y.store(1, cuda::memory_order_relaxed);
        }
    } else if (threadIdx.x == 0) {
        if (y.load(cuda::memory_order_relaxed) == 1) x.store(1, cuda::memory_order_relaxed);
    } else {
        x.store(2, cuda::memory_order_relaxed);
    }
}

//@ launch waits<<<2, 2>>>();
//@ vary THROUGH in {0, 1, 2};
//@ expect race_free;
//@ expect forbidden waits[0][0].seen == 1;
//@ expect allowed waits[0][0].seen == 2 && x == 1;
