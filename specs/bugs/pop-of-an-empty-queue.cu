// HigherOrderCO/HVM1#246, stotko/stdgpu#396: two threads see one element in a queue, and both take it: the count goes below 0.
// To look and to take must be one operation.
#include <cuda/atomic>

constexpr bool ONE_OPERATION = true;

struct Queue {
    cuda::atomic<int, cuda::thread_scope_device> size{1};

    __device__ void pop() {
        int last = size.load(cuda::memory_order_acquire);
        if (ONE_OPERATION)
            while (last > 0 && !size.compare_exchange_weak(last, last - 1, cuda::memory_order_acq_rel));
        else if (last > 0)
            size.fetch_sub(1, cuda::memory_order_acq_rel);
    }
};
__device__ Queue queue;

__global__ void take() { queue.pop(); }

int main() {
    take<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary ONE_OPERATION in {true, false};
//@ expect race_free;
//@ expect forbidden queue.size == -1 when ONE_OPERATION;
//@ expect required queue.size == 0 when ONE_OPERATION;
//@ expect allowed queue.size == -1 when !ONE_OPERATION;
