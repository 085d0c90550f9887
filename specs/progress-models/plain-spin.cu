// No progress model helps a thread that eventually only reads an ordinary object: [intro.progress.1] lets the
// implementation assume that there is none.
#include <cuda/atomic>

constexpr bool ATOMIC = true;

__device__ int ready = 0;

__global__ void plain_spin() {
    if (blockIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device>(ready).store(1, cuda::memory_order_relaxed);
    } else if (ATOMIC) {
        while (cuda::atomic_ref<int, cuda::thread_scope_device>(ready).load(cuda::memory_order_relaxed) == 0);
    } else {
        while (ready == 0);
    }
}

//@ launch plain_spin<<<2, 1>>>();
//@ vary ATOMIC in {true, false};
//@ options races = ignore;
//@ expect race_free when ATOMIC;
//@ expect race on ready when !ATOMIC;
//@ expect terminates when ATOMIC under fair, hsa, hsa-obe, lobe;
//@ expect may_hang when !ATOMIC under fair, hsa, hsa-obe, lobe;
