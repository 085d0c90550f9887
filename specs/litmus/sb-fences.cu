// Store buffering with relaxed accesses at device scope and seq_cst fences between them: fences at device scope forbid
// that both read 0, fences at block scope do not.  Neither races: the accesses are atomic and include each other.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void sb() {
    int r;
    if (blockIdx.x == 0) {
        x.store(1, cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, S);
        r = y.load(cuda::memory_order_relaxed);
    } else {
        y.store(1, cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, S);
        r = x.load(cuda::memory_order_relaxed);
    }
}

//@ launch sb<<<2, 1>>>();
//@ vary S in {device, block};
//@ expect race_free;
//@ expect forbidden sb[0][0].r == 0 && sb[1][0].r == 0 when S == device;
//@ expect allowed sb[0][0].r == 0 && sb[1][0].r == 0 when S == block;
