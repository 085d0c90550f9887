// A lock of a flag, around a pair: broken, it is taken without acquiring.
#include <cuda/std/atomic>
#include <cuda/std/utility>
const int BROKEN = 0;

__device__ cuda::std::atomic_flag busy;
__device__ cuda::std::pair<int, int> both;
__global__ void k() {
    while (busy.test_and_set(BROKEN ? cuda::std::memory_order_relaxed : cuda::std::memory_order_acquire)) {}
    both.first++;
    both.second += 2;
    busy.clear(cuda::std::memory_order_release);
}
//@ vary BROKEN in {0, 1};
//@ launch cooperative k<<<2, 1>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect required both.second == 4 when BROKEN == 0;
