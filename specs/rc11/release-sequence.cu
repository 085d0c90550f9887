// RC11: a release sequence goes on with later stores by its thread and with read-modify-writes of any thread, but not with
// another thread's store.
#include <cuda/atomic>

constexpr int BY = 0;   // 0: a later store; 1: a read-modify-write; 2: another thread's store

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        flag.store(1, cuda::memory_order_release);
        if (BY == 0) flag.store(2, cuda::memory_order_relaxed);
    } else if (blockIdx.x == 1) {
        if (BY == 1) flag.fetch_add(1, cuda::memory_order_relaxed);
        if (BY == 2) flag.store(2, cuda::memory_order_relaxed);
    } else {
        if (flag.load(cuda::memory_order_acquire) == 2) r = x;
    }
}

//@ launch mp<<<3, 1>>>();
//@ vary BY in {0, 1, 2};
//@ expect race_free when BY != 2 under rc11;
//@ expect forbidden mp[2][0].r == 0 when BY != 2 under rc11;
//@ expect race on x when BY == 2 under rc11;
