// An index that a thread computes of what another has written may be beyond the array.  To say so is a test of a program that is
// wrong; what the program does otherwise has no meaning then.
#include <cuda/atomic>

constexpr int LENGTH = 2;

__device__ cuda::atomic<int, cuda::thread_scope_device> head{0};
__device__ int slots[2];

__global__ void push() {
    int own = head.fetch_add(1, cuda::memory_order_relaxed);
    if (own < LENGTH) slots[own] = 1;
}

//@ launch push<<<3, 1>>>();
//@ vary LENGTH in {2, 3};
//@ expect undefined when LENGTH == 3;
//@ expect race_free;
//@ expect required slots[0] == 1 && slots[1] == 1 when LENGTH == 2;
