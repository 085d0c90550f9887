// The sleeper with relaxed operations and seq_cst fences between: they must include the other block.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0}, go{0};

__global__ void sleeper() {
    if (blockIdx.x == 0) {
        x.store(1, cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, S);
        if (y.load(cuda::memory_order_relaxed) == 0) {
            while (go.load(cuda::memory_order_relaxed) == 0) { }
        }
    } else {
        y.store(1, cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, S);
        if (x.load(cuda::memory_order_relaxed) == 1) go.store(1, cuda::memory_order_relaxed);
    }
}

int main() {
    cudaLaunchCooperativeKernel((void *)sleeper, 2, 1, nullptr);
    cudaDeviceSynchronize();
}

//@ vary S in {device, block};
//@ expect race_free;
//@ expect terminates when S == device;
//@ expect may_hang when S == block;
