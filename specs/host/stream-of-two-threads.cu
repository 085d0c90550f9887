// "A stream is a sequence of commands (possibly issued by different host threads) that execute in order" (CUDA C++
// programming guide, "Streams").  Two host threads that launch into one stream do so in either order, and the two grids
// never overlap.  What orders the launches orders the grids; in two streams nothing does.
#include <atomic>
#include <thread>
#include <cuda_runtime.h>

constexpr int NOTHING = 0, FLAG = 1, JOIN = 2;
constexpr int ORDER = NOTHING;
constexpr bool ONE_STREAM = true;

__managed__ int data = 0;
std::atomic<int> launched{0};

__global__ void first() { data = 1; }
__global__ void second() { data = data + 2; }

int main() {
    cudaStream_t s0, s1;
    cudaStreamCreate(&s0);
    cudaStreamCreate(&s1);
    std::thread other([&] {
        first<<<1, 1, 0, s0>>>();
        launched.store(1, std::memory_order_release);
    });
    if (ORDER == JOIN) other.join();
    if (ORDER == FLAG) while (launched.load(std::memory_order_acquire) == 0) std::this_thread::yield();
    second<<<1, 1, 0, ONE_STREAM ? s0 : s1>>>();
    if (ORDER != JOIN) other.join();
    cudaDeviceSynchronize();
    int end = data;
}

//@ options races = ignore;
//@ vary ORDER in {0, 1, 2};
//@ vary ONE_STREAM in {true, false};
//@ expect race_free when ONE_STREAM;
//@ expect race on data when !ONE_STREAM;
//@ expect forbidden main.end == 2 when ONE_STREAM;
//@ expect allowed main.end == 2 when !ONE_STREAM;
//@ expect allowed main.end == 1 when ORDER == NOTHING;
//@ expect required main.end == 3 when ONE_STREAM && ORDER != NOTHING under cuda-v3, rc11, ptx, hrf0;
//@ expect terminates;
