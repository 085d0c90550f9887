// A ring for one producer and one consumer: six orders of which none is relaxed, and a larger launch has several consumers.
#include <cuda/atomic>

using counter = cuda::atomic<unsigned, cuda::thread_scope_device>;
__device__ counter pushed{0}, popped{0};
__device__ int item;

__device__ void push(int value) {
    const unsigned at = pushed.load(cuda::memory_order_acquire);
    while (at != popped.load(cuda::memory_order_acquire));
    item = value;
    pushed.store(at + 1, cuda::memory_order_release);
}

__device__ int pop() {
    const unsigned at = popped.load(cuda::memory_order_acquire);
    while (pushed.load(cuda::memory_order_acquire) == at);
    int value = item;
    popped.store(at + 1, cuda::memory_order_release);
    return value;
}

__global__ void talk() {
    if (blockIdx.x == 0) {
        push(7);
    } else {
        int heard = pop();
    }
}

//@ launch talk<<<2, 1>>>();
//@ expect race_free;
//@ expect required talk[1][0].heard == 7;
