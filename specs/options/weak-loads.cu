// PTX: a thread that reads a new value with a relaxed load may read an old one with a weak load behind it.  ptxas may make the
// weak load first, ahead of other loads and of stores to other locations too; never ahead of what acquires or releases, of a
// read-modify-write, a fence or a barrier, or of a store to its location.
#include <cuda/atomic>

// between a relaxed and a weak load: 0: nothing; 1: a relaxed load; 2: a store to y; 3: an acquire; 4: a release;
// 5: a read-modify-write; 6: a fence; 7: an arrival at a barrier; 8: a store to x, by a thread that has read the other's
// nothing between, and the first load is 9: an acquire; 10: a read-modify-write; or the second one is 11: relaxed, at a scope that leaves the store out
constexpr int CASE = 0;
constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ int x = 0, y = 0;

__global__ void reads() {
    cuda::atomic_ref<int, cuda::thread_scope_device> atomic(x), other(y);
    int a = 0, b = 0, c = 0;
    if (blockIdx.x == 0) {
        atomic.store(1, relaxed);
    } else {
        if (CASE < 9 || CASE == 11) a = atomic.load(relaxed);
        if (CASE == 9) a = atomic.load(cuda::memory_order_acquire);
        if (CASE == 10) a = atomic.fetch_add(0, relaxed);
        if (CASE == 1) c = other.load(relaxed);
        if (CASE == 2) y = 1;
        if (CASE == 3) c = other.load(cuda::memory_order_acquire);
        if (CASE == 4) other.store(1, cuda::memory_order_release);
        if (CASE == 5) c = other.fetch_add(1, relaxed);
        if (CASE == 6) cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
        if (CASE == 7) asm volatile("bar.arrive 1, 64;" ::: "memory");
        if (CASE == 8 && a == 1) {
            x = 2;
            b = x;
        }
        if (CASE == 11) b = cuda::atomic_ref<int, cuda::thread_scope_block>(x).load(relaxed);
        if (CASE != 8 && CASE != 11) b = x;
    }
}

//@ launch reads<<<2, 1>>>();
//@ vary CASE in {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
//@ expect allowed reads[1][0].a == 1 && reads[1][0].b == 0 when CASE < 3 under ptx;
//@ expect forbidden reads[1][0].a == 1 && reads[1][0].b == 0 when CASE > 2 && CASE != 8 under ptx;
//@ expect race_free when CASE == 8 under ptx;
