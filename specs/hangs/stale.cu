// Block 1 sees the flag, and may find stale data all the same: then it waits for what nobody sends. Where it polls the
// data too, it waits until they are there, whatever the order: the last value becomes visible.
#include <cuda/atomic>

constexpr cuda::memory_order STORE = cuda::memory_order_release;
constexpr cuda::memory_order LOAD = cuda::memory_order_acquire;
constexpr bool POLLED = false;

__device__ cuda::atomic<int, cuda::thread_scope_device> data{0}, flag{0}, resend{0};

__global__ void stale() {
    if (blockIdx.x == 0) {
        data.store(1, cuda::memory_order_relaxed);
        flag.store(1, STORE);
    } else {
        while (flag.load(LOAD) == 0) { }
        if (POLLED) {
            while (data.load(cuda::memory_order_relaxed) == 0) { }
        } else if (data.load(cuda::memory_order_relaxed) == 0) {
            while (resend.load(cuda::memory_order_relaxed) == 0) { }
        }
    }
}

int main() {
    cudaLaunchCooperativeKernel((void *)stale, 2, 1, nullptr);
    cudaDeviceSynchronize();
}

//@ vary STORE in {release, relaxed, seq_cst};
//@ vary LOAD in {acquire, relaxed, seq_cst};
//@ vary POLLED in {false, true};
//@ expect race_free;
//@ expect terminates when POLLED || (STORE != relaxed && LOAD != relaxed);
//@ expect may_hang when !POLLED && (STORE == relaxed || LOAD == relaxed);
