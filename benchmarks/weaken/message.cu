// A message behind a flag, with orders and scope that nobody wrote: seq_cst and the system's.
#include <cuda/atomic>

__device__ int data = 0;
__device__ cuda::atomic<int> flag{0};

__global__ void talk() {
    int heard = 42;
    if (blockIdx.x == 0) {
        data = 42;
        flag.store(1);
    } else if (flag.load() == 1) {
        heard = data;
    }
}

//@ launch talk<<<2, 1>>>();
//@ expect race_free;
//@ expect required talk[1][0].heard == 42;
