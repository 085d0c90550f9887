// A grid waits for one in another stream: only if all blocks of both are resident is it sure to be started.
#include <cuda/atomic>

__managed__ cuda::atomic<int, cuda::thread_scope_system> sent{0};

__global__ void receive() { while (sent.load(cuda::memory_order_relaxed) == 0); }
__global__ void send() { sent.store(1, cuda::memory_order_relaxed); }

int main() {
    cudaStream_t one, other;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    receive<<<1, 1, 0, one>>>();
    send<<<1, 1, 0, other>>>();
    cudaDeviceSynchronize();
}
//@ options api = returns;
//@ expect race_free;
//@ expect terminates under cuda-resident;
//@ expect may_hang under cuda, cuda-in-order;
