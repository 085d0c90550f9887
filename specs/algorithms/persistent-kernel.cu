// A persistent kernel takes items from a queue until the host tells it to stop.  Nothing promises that it starts before
// the host makes a call that waits for it: the host may stop it first, but must not wait for an item to be done.  (Where
// launches may wait for device threads, the host need not even come to fill the queue: see the option `api`.)
#include <cuda/atomic>

constexpr bool WAITS_FOR_ITEM = false;

__managed__ cuda::atomic<int, cuda::thread_scope_system> tail{0}, stop{0}, done{0};

__global__ void persistent() {
    int head = 0;
    while (true) {
        if (head < tail.load(cuda::memory_order_acquire)) {
            head++;
            done.store(head, cuda::memory_order_release);
        } else if (stop.load(cuda::memory_order_acquire) == 1) {
            return;
        }
    }
}

int main() {
    persistent<<<1, 1>>>();
    tail.store(1, cuda::memory_order_release);
    if (WAITS_FOR_ITEM) while (done.load(cuda::memory_order_acquire) == 0);
    stop.store(1, cuda::memory_order_release);
    return cudaDeviceSynchronize();
}

//@ options api = returns;
//@ vary WAITS_FOR_ITEM in {false, true};
//@ expect terminates when !WAITS_FOR_ITEM;
//@ expect may_hang when WAITS_FOR_ITEM;
