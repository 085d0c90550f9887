// PTX: a compare-exchange of CUDA C++ is an atom.cas, which has one order for success and failure, writes what it found where
// it fails, and fails for no other reason.  In CUDA C++ a failed one is a load with an order of its own, and a weak one may
// fail although the values are equal.
#include <cuda/atomic>

constexpr int ABOUT = 1;   // 1: the order of a failed one; 2: what it writes; 3: why one fails
constexpr cuda::memory_order SUCCESS = cuda::memory_order_acquire;
constexpr int EXPECTED = 7;

__device__ int x, f;

__global__ void k() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    int expected = EXPECTED, r = 2;
    bool done = true;
    if (blockIdx.x == 0) {
        if (ABOUT == 1) {
            x = 1;
            flag.store(2, cuda::memory_order_release);
        }
        if (ABOUT == 2) r = f;
    } else {
        if (ABOUT == 3) done = flag.compare_exchange_weak(expected, 3, SUCCESS, cuda::memory_order_relaxed);
        else done = flag.compare_exchange_strong(expected, 3, SUCCESS, cuda::memory_order_relaxed);
        if (ABOUT == 1) r = x;
    }
}

//@ launch k<<<2, 1>>>();
//@ options races = ignore;
//@ vary ABOUT in {1, 2, 3};
//@ vary SUCCESS in {acquire, relaxed};
//@ vary EXPECTED in {7, 0};
//@ expect forbidden k[1][0].expected == 2 && k[1][0].r == 0 when ABOUT == 1 && SUCCESS == acquire under ptx;
//@ expect allowed k[1][0].expected == 2 && k[1][0].r == 0 when ABOUT == 1 && SUCCESS == relaxed under ptx;
//@ expect allowed k[1][0].expected == 2 && k[1][0].r == 0 when ABOUT == 1 under cuda;
//@ expect race on f when ABOUT == 2 under ptx;
//@ expect race on f when ABOUT == 2 && EXPECTED == 0 under cuda;
//@ expect race_free when ABOUT == 2 && EXPECTED == 7 under cuda;
//@ expect forbidden !k[1][0].done when ABOUT == 3 && EXPECTED == 0 under ptx;
//@ expect required !k[1][0].done when ABOUT == 3 && EXPECTED == 7 under ptx;
//@ expect allowed !k[1][0].done when ABOUT == 3 under cuda;
