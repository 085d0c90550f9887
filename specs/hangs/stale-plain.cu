// Stale data, as in stale.cu, that are no atomic: without release and acquire they are a race, and nothing is promised.
#include <cuda/atomic>

constexpr cuda::memory_order STORE = cuda::memory_order_release;

__device__ int data = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0}, resend{0};

__global__ void plain() {
    if (blockIdx.x == 0) {
        data = 1;
        flag.store(1, STORE);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) { }
        if (data == 0) {
            while (resend.load(cuda::memory_order_relaxed) == 0) { }
        }
    }
}

int main() {
    cudaLaunchCooperativeKernel((void *)plain, 2, 1, nullptr);
    cudaDeviceSynchronize();
}

//@ vary STORE in {release, relaxed};
//@ expect race_free when STORE == release;
//@ expect terminates when STORE == release;
//@ expect race when STORE == relaxed;
