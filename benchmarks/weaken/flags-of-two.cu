// Each of two threads raises its flag and looks at the other's (Dekker): the fences have to be seq_cst, and of the device.
#include <cuda/atomic>

__device__ cuda::atomic<int> raised[2];

__global__ void enter() {
    raised[blockIdx.x].store(1, cuda::memory_order_release);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst);
    int other = raised[1 - blockIdx.x].load(cuda::memory_order_acquire);
}

//@ launch enter<<<2, 1>>>();
//@ expect race_free;
//@ expect forbidden enter[0][0].other == 0 && enter[1][0].other == 0;
