// PTX: a load may read from a store that comes after it in every order that is seen, unless a dependency or synchronization
// forbids it; no value comes out of thin air.  A dependency that the compiler removes (`xor r, r` becomes 0) is none.
#include <cuda/atomic>

// 0: nothing; 1: data; 2: control; 3: release and acquire in one direction; 4: data, 5: control that change nothing
constexpr int THROUGH = 0;

__device__ int x = 0, y = 0;

__global__ void lb() {
    cuda::atomic_ref<int, cuda::thread_scope_device> a(x), b(y);
    int r = 2;
    if (blockIdx.x == 0) {
        if (THROUGH == 3) r = x; else r = a.load(cuda::memory_order_relaxed);
        if (THROUGH == 0) b.store(1, cuda::memory_order_relaxed);
        if (THROUGH == 1) b.store(r, cuda::memory_order_relaxed);
        if (THROUGH == 2) { if (r == 1) b.store(1, cuda::memory_order_relaxed); }
        if (THROUGH == 3) b.store(1, cuda::memory_order_release);
        if (THROUGH == 4) b.store(1 + (r ^ r), cuda::memory_order_relaxed);
        if (THROUGH == 5) { if (r == 1) b.store(1, cuda::memory_order_relaxed); else b.store(1, cuda::memory_order_relaxed); }
    } else {
        if (THROUGH == 3) r = b.load(cuda::memory_order_acquire); else r = b.load(cuda::memory_order_relaxed);
        if (THROUGH == 0) a.store(1, cuda::memory_order_relaxed);
        if (THROUGH == 1) a.store(r, cuda::memory_order_relaxed);
        if (THROUGH == 2) { if (r == 1) a.store(1, cuda::memory_order_relaxed); }
        if (THROUGH == 3) x = 1;
        if (THROUGH == 4) a.store(1 + (r ^ r), cuda::memory_order_relaxed);
        if (THROUGH == 5) { if (r == 1) a.store(1, cuda::memory_order_relaxed); else a.store(1, cuda::memory_order_relaxed); }
    }
}

//@ launch lb<<<2, 1>>>();
//@ vary THROUGH in {0, 1, 2, 3, 4, 5};
//@ expect allowed lb[0][0].r == 1 && lb[1][0].r == 1 when THROUGH == 0 || THROUGH > 3 under ptx;
//@ expect forbidden lb[0][0].r == 1 && lb[1][0].r == 1 when THROUGH > 0 && THROUGH < 4 under ptx;
