// Block 1 sees the flag that block 0 has set, and tells block 2, which sleeps on it. The notification wakes it only if
// the store comes before: "Y happens before the call to the atomic notifying operation" ([atomics.wait]).
#include <cuda/atomic>

constexpr cuda::memory_order STORE = cuda::memory_order_release;
constexpr cuda::memory_order LOAD = cuda::memory_order_acquire;

__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void tell() {
    if (blockIdx.x == 0) {
        flag.store(1, STORE);
    } else if (blockIdx.x == 1) {
        while (flag.load(LOAD) == 0) { }
        flag.notify_all();
    } else {
        flag.wait(0, cuda::memory_order_relaxed);
    }
}

int main() {
    cudaLaunchCooperativeKernel((void *)tell, 3, 1, nullptr);
    cudaDeviceSynchronize();
}

//@ vary STORE in {release, relaxed};
//@ vary LOAD in {acquire, relaxed};
//@ expect race_free;
//@ expect terminates when STORE == release && LOAD == acquire;
//@ expect may_hang when STORE == relaxed || LOAD == relaxed;
