// The text of PTX: reads of one location by one thread are kept in order where the first observes a morally strong write, even
// if the second is weak; two weak reads are not.  Compilers keep fewer in order: ../options/weak-loads.cu.
#include <cuda/atomic>

constexpr bool STRONG = true;

__device__ int x = 0;

__global__ void reads() {
    cuda::atomic_ref<int, cuda::thread_scope_device> atomic(x);
    int a = 0, b = 0;
    if (blockIdx.x == 0) {
        atomic.store(1, cuda::memory_order_relaxed);
    } else {
        if (STRONG) a = atomic.load(cuda::memory_order_relaxed); else a = x;
        b = x;
    }
}

//@ launch reads<<<2, 1>>>();
//@ vary STRONG in {true, false};
//@ options weak_loads = isa;
//@ expect forbidden reads[1][0].a == 1 && reads[1][0].b == 0 when STRONG under ptx;
//@ expect allowed reads[1][0].a == 1 && reads[1][0].b == 0 when !STRONG under ptx;
