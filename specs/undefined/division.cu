// An average of what nobody has given is a division by zero: in an execution in which the reader comes first, and in none if it
// looks before.
#include <cuda/atomic>

constexpr bool LOOKS = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> count{0}, sum{0};
__device__ int average;

__global__ void k() {
    if (blockIdx.x == 0) {
        sum.fetch_add(6);
        count.fetch_add(2);
    } else {
        int n = count.load();
        if (!LOOKS || n != 0) average = sum.load() / n;
    }
}

//@ launch k<<<2, 1>>>();
//@ vary LOOKS in {true, false};
//@ expect undefined when !LOOKS;
//@ expect required average == 0 || average == 3 when LOOKS;
