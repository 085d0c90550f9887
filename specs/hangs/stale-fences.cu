// Stale data, as in stale.cu, with relaxed operations and seq_cst fences between: the fences must include the other block.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;
constexpr bool POLLED = false;

__device__ cuda::atomic<int, cuda::thread_scope_device> data{0}, flag{0}, resend{0};

__global__ void fenced() {
    if (blockIdx.x == 0) {
        data.store(1, cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, S);
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        while (flag.load(cuda::memory_order_relaxed) == 0) { }
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, S);
        if (POLLED) {
            while (data.load(cuda::memory_order_relaxed) == 0) { }
        } else if (data.load(cuda::memory_order_relaxed) == 0) {
            while (resend.load(cuda::memory_order_relaxed) == 0) { }
        }
    }
}

int main() {
    cudaLaunchCooperativeKernel((void *)fenced, 2, 1, nullptr);
    cudaDeviceSynchronize();
}

//@ vary S in {device, block};
//@ vary POLLED in {false, true};
//@ expect race_free;
//@ expect terminates when POLLED || S == device;
//@ expect may_hang when !POLLED && S == block;
