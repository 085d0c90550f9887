// The sleeper with relaxed operations, asked of a sequentially consistent memory alone.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0}, go{0};

__global__ void sleeper() {
    if (blockIdx.x == 0) {
        x.store(1, cuda::memory_order_relaxed);
        if (y.load(cuda::memory_order_relaxed) == 0) {
            while (go.load(cuda::memory_order_relaxed) == 0) { }
        }
    } else {
        y.store(1, cuda::memory_order_relaxed);
        if (x.load(cuda::memory_order_relaxed) == 1) go.store(1, cuda::memory_order_relaxed);
    }
}

int main() {
    cudaLaunchCooperativeKernel((void *)sleeper, 2, 1, nullptr);
    cudaDeviceSynchronize();
}

//@ options hangs = sc;
//@ expect terminates;
