// A message behind a flag: broken, the flag is relaxed.
#include <cuda/atomic>
const int BROKEN = 0;

__device__ int data, out;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__global__ void k() {
    if (blockIdx.x == 0) {
        data = 1;
        flag.store(1, BROKEN ? cuda::memory_order_relaxed : cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        out = data;
    }
}
//@ vary BROKEN in {0, 1};
//@ launch cooperative k<<<2, 1>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect terminates;
