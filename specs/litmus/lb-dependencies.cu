// Load buffering where what each thread stores is computed from what it loaded: forbidden where it depends on that,
// allowed where a compiler may find that it does not.
#include <cuda/atomic>

constexpr int VIA = 0;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__device__ void store(cuda::atomic<int, cuda::thread_scope_device>& to, int v) {
    int t = 0, kept[2] = {7, 7};
    switch (VIA) {
        // true dependencies
        case 0: to.store(v == 1, cuda::memory_order_relaxed); break;
        case 1: to.store(v & 1, cuda::memory_order_relaxed); if (v == 2) to.store(1, cuda::memory_order_relaxed); break;
        case 2: if (v == 1) to.store(1, cuda::memory_order_relaxed); break;
        case 3: if (v == 1) t = 1; to.store(t, cuda::memory_order_relaxed); break;
        case 4: kept[0] = v == 1; to.store(kept[0], cuda::memory_order_relaxed); break;
        case 5: if (v == 1) to.store(1, cuda::memory_order_relaxed); else to.store(2, cuda::memory_order_relaxed); break;
        case 6: if (v == 1) to.store(1, cuda::memory_order_relaxed); else to.store(1, cuda::memory_order_release); break;
        // false ones
        case 10: to.store(1 + (v ^ v), cuda::memory_order_relaxed); break;
        case 11: to.store(1 + v * 0, cuda::memory_order_relaxed); break;
        case 12: if (v == 1) t = 5; to.store(1, cuda::memory_order_relaxed); break;
        case 13: if (v == 1) to.store(1, cuda::memory_order_relaxed); else to.store(1, cuda::memory_order_relaxed); break;
        case 14: to.store(v | 1, cuda::memory_order_relaxed); break;   // v is 0 or 1
        case 15: if (v <= 1) to.store(1, cuda::memory_order_relaxed); break;
        case 16: t = v == 1 ? 3 : 4; to.store(t >= 3, cuda::memory_order_relaxed); break;
        case 17: kept[0] = v; kept[1] = kept[0]; to.store(1 + (kept[0] != kept[1]), cuda::memory_order_relaxed); break;
    }
}

__global__ void lb() {
    int r;
    if (blockIdx.x == 0) {
        r = x.load(cuda::memory_order_relaxed);
        store(y, r);
    } else {
        r = y.load(cuda::memory_order_relaxed);
        store(x, r);
    }
}

//@ launch lb<<<2, 1>>>();
//@ vary VIA in {0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15, 16, 17};
//@ expect race_free;
//@ expect forbidden lb[0][0].r == 1 && lb[1][0].r == 1 when VIA < 10;
//@ expect allowed lb[0][0].r == 1 && lb[1][0].r == 1 when VIA >= 10;
//@ expect allowed lb[0][0].r == 0 && lb[1][0].r == 0;
