// As lb-waits.cu, where the answer comes from what begins after the wait, a kernel or a host thread, or from who waits for
// its end: with cudaDeviceSynchronize, by asking whether the stream is done, or by joining the thread.
#include <cuda/atomic>
#include <thread>

constexpr int BY = 0;   // 0: a launch; 1: cudaDeviceSynchronize; 2: cudaStreamQuery; 3: creation of a thread; 4: a join

__managed__ cuda::atomic<int, cuda::thread_scope_system> x{0}, y{0};

__global__ void wait() {
    int seen;
    do seen = x.load(cuda::memory_order_relaxed); while (seen == 0);
}

__global__ void answer() {
    y.store(1, cuda::memory_order_relaxed);
}

int main() {
    std::thread other([] {
        if (y.load(cuda::memory_order_relaxed) == 1) x.store(1, cuda::memory_order_relaxed);
    });
    std::thread end([] { x.store(2, cuda::memory_order_relaxed); });
    int seen = 0;
    if (BY == 0 || BY == 3) {
        do seen = x.load(cuda::memory_order_relaxed); while (seen == 0);
        if (BY == 0) {
            answer<<<1, 1>>>();
        } else {
            std::thread answering([] { y.store(1, cuda::memory_order_relaxed); });
            answering.join();
        }
    } else if (BY == 4) {
        std::thread waiting([] {
            int got;
            do got = x.load(cuda::memory_order_relaxed); while (got == 0);
        });
        waiting.join();
        y.store(1, cuda::memory_order_relaxed);
    } else {
        wait<<<1, 1>>>();
        if (BY == 1) cudaDeviceSynchronize();
        if (BY == 2) while (cudaStreamQuery(0) != cudaSuccess);
        y.store(1, cuda::memory_order_relaxed);
    }
    other.join();
    end.join();
}

//@ vary BY in {0, 1, 2, 3, 4};
//@ expect race_free;
//@ expect forbidden main.seen == 1 when BY == 0 || BY == 3;
//@ expect allowed main.seen == 2 && x == 1 when BY == 0 || BY == 3;
//@ expect forbidden wait[0][0].seen == 1 when BY == 1 || BY == 2;
//@ expect allowed wait[0][0].seen == 2 && x == 1 when BY == 1 || BY == 2;
//@ expect forbidden waiting.got == 1 when BY == 4;
//@ expect allowed waiting.got == 2 && x == 1 when BY == 4;
