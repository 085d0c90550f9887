// The last of two owners of a piece of memory clears it: what they did to it comes before that.
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_system> owners{2};
__device__ int data[2];

__global__ void drop() {
    data[blockIdx.x] = 1;
    if (owners.fetch_sub(1, cuda::memory_order_seq_cst) == 1) {
        data[0] = 0;
        data[1] = 0;
    }
}

//@ launch drop<<<2, 1>>>();
//@ expect race_free;
//@ expect required data[0] == 0 && data[1] == 0;
