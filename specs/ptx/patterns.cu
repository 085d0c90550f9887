// PTX: a release pattern may go on with a later strong write to the location, an acquire pattern may begin with an earlier
// strong read of it, and observation order passes through read-modify-writes.
#include <cuda/atomic>

constexpr int THROUGH = 0;   // 1: a later store; 2: an earlier load; 3: another thread's read-modify-write

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    int r = 2, seen = 0, later = 0;
    if (blockIdx.x == 0) {
        x = 1;
        flag.store(1, cuda::memory_order_release);
        if (THROUGH == 1) flag.store(2, cuda::memory_order_relaxed);
    } else if (blockIdx.x == 1) {
        if (THROUGH == 2) flag.store(2, cuda::memory_order_relaxed);
        if (THROUGH == 3) flag.fetch_add(1, cuda::memory_order_relaxed);
    } else {
        if (THROUGH == 2) {
            seen = flag.load(cuda::memory_order_relaxed);
            later = flag.load(cuda::memory_order_acquire);
        } else {
            seen = flag.load(cuda::memory_order_acquire);
        }
        r = x;
    }
}

//@ launch mp<<<3, 1>>>();
//@ vary THROUGH in {1, 2, 3};
//@ expect forbidden mp[2][0].seen == 2 && mp[2][0].r == 0 when THROUGH != 2 under ptx;
//@ expect forbidden mp[2][0].seen == 1 && mp[2][0].later == 2 && mp[2][0].r == 0 when THROUGH == 2 under ptx;
//@ expect allowed mp[2][0].seen == 0 && mp[2][0].r == 0 under ptx;
