// HRF0, section 3.4, to the letter: an acquire that runs before the release of its location is ordered with nothing, and
// races with it.  See hrf-sync-races.cu for the default.
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
//@ options hrf_sync_races = literal;
//@ expect race on f under hrf0;
