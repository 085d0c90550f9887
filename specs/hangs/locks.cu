// Two blocks count themselves in under a lock, and the first waits for the second. Whatever the lock, nobody waits for
// ever to take it: the last value becomes visible. But if it orders nothing, both may believe to be the first.
#include <cuda/atomic>

constexpr int EXCHANGE = 0, COMPARE = 1, LOOK_FIRST = 2, TICKET = 3;
constexpr int KIND = EXCHANGE;
constexpr cuda::memory_order TAKE = cuda::memory_order_acquire;
constexpr cuda::memory_order GIVE = cuda::memory_order_release;

__device__ cuda::atomic<int, cuda::thread_scope_device> held{0}, tickets{0}, serving{0}, inside{0}, second{0};

__device__ void take() {
    if (KIND == EXCHANGE) {
        while (held.exchange(1, TAKE) == 1) { }
    } else if (KIND == COMPARE) {
        int free = 0;
        while (!held.compare_exchange_weak(free, 1, TAKE, cuda::memory_order_relaxed)) free = 0;
    } else if (KIND == LOOK_FIRST) {
        do {
            while (held.load(cuda::memory_order_relaxed) == 1) { }
        } while (held.exchange(1, TAKE) == 1);
    } else {
        int mine = tickets.fetch_add(1, cuda::memory_order_relaxed);
        while (serving.load(TAKE) != mine) { }
    }
}

__device__ void give() {
    if (KIND == TICKET) {
        serving.store(serving.load(cuda::memory_order_relaxed) + 1, GIVE);
    } else {
        held.store(0, GIVE);
    }
}

__global__ void meet() {
    take();
    int before = inside.load(cuda::memory_order_relaxed);
    inside.store(before + 1, cuda::memory_order_relaxed);
    give();
    if (before == 0) {
        while (second.load(cuda::memory_order_relaxed) == 0) { }
    } else {
        second.store(1, cuda::memory_order_relaxed);
    }
}

int main() {
    cudaLaunchCooperativeKernel((void *)meet, 2, 1, nullptr);
    cudaDeviceSynchronize();
}

//@ vary KIND in {0, 1, 2, 3};
//@ vary TAKE in {acquire, relaxed};
//@ expect race_free;
//@ expect terminates when TAKE == acquire;
//@ expect may_hang when TAKE == relaxed;
