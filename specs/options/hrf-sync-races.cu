// HRF0, section 3.5: "If this practice is followed, synchronization operations will never race with each other": by
// default two synchronization operations of one scope do not race, though an acquire that comes first is ordered with
// nothing.  See hrf-sync-races-literal.cu for the letter of section 3.4.
#include <cuda/atomic>

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        flag.store(1, cuda::memory_order_release);
    } else {
        if (flag.load(cuda::memory_order_acquire) == 1) r = x;
    }
}

//@ launch mp<<<2, 1>>>();
//@ expect race_free under hrf0;
