// Two kernels that wait for each other.  In two streams nothing promises that the second starts while the first waits
// for it, an event between them makes that certain; what helps is to cut the kernel that waits in two, with an event
// after each piece that the other needs.
#include <cuda/atomic>

constexpr int FLAGS = 0, FLAGS_AND_EVENT = 1, PIECES = 2;
constexpr int HOW = PIECES;

__managed__ cuda::atomic<int, cuda::thread_scope_system> ping{0}, pong{0};

__global__ void asks() { ping.store(1, cuda::memory_order_release); }
__global__ void hears() { while (pong.load(cuda::memory_order_acquire) == 0); }
__global__ void asks_and_hears() {
    ping.store(1, cuda::memory_order_release);
    while (pong.load(cuda::memory_order_acquire) == 0);
}
__global__ void answers() {
    while (ping.load(cuda::memory_order_acquire) == 0);
    pong.store(1, cuda::memory_order_release);
}

int main() {
    cudaStream_t s0, s1;
    cudaStreamCreate(&s0);
    cudaStreamCreate(&s1);
    cudaEvent_t asked, answered;
    cudaEventCreate(&asked);
    cudaEventCreate(&answered);
    if (HOW == PIECES) {
        asks<<<1, 1, 0, s0>>>();
    } else {
        asks_and_hears<<<1, 1, 0, s0>>>();
    }
    if (HOW != FLAGS) {
        cudaEventRecord(asked, s0);
        cudaStreamWaitEvent(s1, asked, 0);
    }
    answers<<<1, 1, 0, s1>>>();
    if (HOW == PIECES) {
        cudaEventRecord(answered, s1);
        cudaStreamWaitEvent(s0, answered, 0);
        hears<<<1, 1, 0, s0>>>();
    }
    return cudaDeviceSynchronize();
}

//@ vary HOW in {0, 1, 2};
//@ expect race_free;
//@ expect terminates when HOW == PIECES;
//@ expect may_hang when HOW != PIECES;
