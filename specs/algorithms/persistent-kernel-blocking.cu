// The persistent kernel again, where a launch may wait for device threads: the kernel that the launch started spins, so
// the launch need not return, and the host never fills the queue.  Filled before the launch, it ends.
#include <cuda/atomic>

constexpr bool BEFORE = true;

__managed__ cuda::atomic<int, cuda::thread_scope_system> tail{0}, stop{0};

__global__ void persistent() {
    int head = 0;
    while (true) {
        if (head < tail.load(cuda::memory_order_acquire)) {
            head++;
        } else if (stop.load(cuda::memory_order_acquire) == 1) {
            return;
        }
    }
}

int main() {
    if (BEFORE) {
        tail.store(1, cuda::memory_order_release);
        stop.store(1, cuda::memory_order_release);
    }
    persistent<<<1, 1>>>();
    if (!BEFORE) {
        tail.store(1, cuda::memory_order_release);
        stop.store(1, cuda::memory_order_release);
    }
    return cudaDeviceSynchronize();
}

//@ vary BEFORE in {true, false};
//@ expect terminates when BEFORE;
//@ expect may_hang when !BEFORE;
