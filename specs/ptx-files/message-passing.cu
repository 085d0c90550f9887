// A message, as message-passing-nvcc.ptx has it from nvcc.
#include <cuda/atomic>

__device__ int data;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ int result;

__global__ void pass() {
    if (blockIdx.x == 0) {
        data = 42;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) {
        }
        result = data;
    }
}

__global__ void pass_relaxed() {
    if (blockIdx.x == 0) {
        data = 42;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_relaxed) == 0) {
        }
        result = data;
    }
}

//@ launch pass<<<2, 1>>>();
//@ expect race_free under cuda, ptx;
//@ expect required result == 42 under cuda, ptx;
//@ expect forbidden result == 0 under ptx;
//@ expect may_hang;
