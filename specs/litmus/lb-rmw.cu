// Load buffering with read-modify-writes.  What one reads of its own location does not hold up what comes after it; its
// own write comes after its read, whatever it stores.
#include <cuda/atomic>

constexpr int KIND = 0;
constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void lb() {
    int r = 0;
    if (blockIdx.x == 0) {
        switch (KIND) {
            case 0: r = x.fetch_add(0, relaxed); y.store(1, relaxed); break;
            case 1: r = x.load(relaxed); y.fetch_add(1, relaxed); break;
            case 2: r = x.fetch_add(0, relaxed); y.store(r == 1, relaxed); break;
            case 3: r = x.load(relaxed); if (r == 1) y.fetch_add(1, relaxed); break;
            case 4: r = 1; if (x.compare_exchange_strong(r, 2, relaxed)) y.store(1, relaxed); break;
            case 5: r = x.load(relaxed); y.store(r == 1, relaxed); break;
        }
    } else if (blockIdx.x == 1) {
        r = y.load(relaxed);
        if (KIND != 5) x.store(KIND < 2 || r == 1, relaxed);
        if (KIND == 5) x.store(r == 2, relaxed);
    } else {
        if (KIND == 5) r = y.exchange(2, relaxed);
    }
}

//@ launch lb<<<3, 1>>>();
//@ vary KIND in {0, 1, 2, 3, 4, 5};
//@ expect race_free;
//@ expect allowed lb[0][0].r == 1 && lb[1][0].r == 1 when KIND < 2;
//@ expect forbidden lb[0][0].r == 1 && lb[1][0].r == 1 when KIND >= 2 && KIND < 5;
//@ expect allowed lb[2][0].r == 0 && lb[1][0].r == 2 && lb[0][0].r == 1 when KIND == 5;
//@ expect forbidden lb[2][0].r == 1 && lb[1][0].r == 2 && lb[0][0].r == 1 when KIND == 5;
