// All host threads share a device's legacy default stream, and work in a blocking stream waits for what any of them issued
// to it before, and it for that.  A non-blocking stream is ordered with neither.  Without an order of the two launches
// `second` may come first, and then `first` never starts.
#include <cuda/atomic>
#include <atomic>
#include <thread>

constexpr int LEGACY = 0, BLOCKING = 1, NON_BLOCKING = 2;
constexpr int STREAM = LEGACY;
constexpr bool AFTER = true;

__managed__ int data = 0;
__managed__ cuda::atomic<int, cuda::thread_scope_system> done{0};
std::atomic<int> launched{0};

__global__ void first() {
    data = 1;
    done.store(1, cuda::memory_order_relaxed);
}
__global__ void second() {
    while (done.load(cuda::memory_order_relaxed) == 0);
    int seen = data;
}

int main() {
    cudaStream_t own;
    if (STREAM == NON_BLOCKING) cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    if (STREAM != NON_BLOCKING) cudaStreamCreate(&own);
    std::thread other([] {
        first<<<1, 1>>>();
        launched.store(1, std::memory_order_release);
    });
    if (AFTER) while (launched.load(std::memory_order_acquire) == 0) std::this_thread::yield();
    if (STREAM == LEGACY) second<<<1, 1>>>();
    if (STREAM != LEGACY) second<<<1, 1, 0, own>>>();
    other.join();
    cudaDeviceSynchronize();
}

//@ options races = ignore, api = returns;
//@ vary STREAM in {0, 1, 2};
//@ vary AFTER in {true, false};
//@ expect race_free when STREAM != NON_BLOCKING;
//@ expect required second[0][0].seen == 1 when STREAM != NON_BLOCKING;
//@ expect race on data when STREAM == NON_BLOCKING;
//@ expect allowed second[0][0].seen == 0 when STREAM == NON_BLOCKING;
//@ expect terminates when STREAM != NON_BLOCKING && AFTER;
//@ expect may_hang when STREAM == NON_BLOCKING || !AFTER;
