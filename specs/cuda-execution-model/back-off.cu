// A spin loop that waits a little between two reads: the inner loop alone does nothing that counts, but it ends, and the
// outer loop reads an atomic object again and again.
#include <cuda/atomic>

constexpr int BLOCKS = 1;

__device__ cuda::atomic<int, cuda::thread_scope_device> ready{0};

__global__ void wait() {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        while (ready.load(cuda::memory_order_relaxed) == 0) {
            for (int i = 0; i < 2; i++) { /* back off */ }
        }
    } else {
        ready.store(1, cuda::memory_order_relaxed);
    }
}

//@ launch wait<<<BLOCKS, 2 / BLOCKS>>>();
//@ vary BLOCKS in {1, 2};
//@ expect race_free;
//@ expect terminates when BLOCKS == 1;
//@ expect may_hang when BLOCKS == 2;
//@ expect progresses;
