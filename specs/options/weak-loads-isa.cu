// As weak-loads.cu, by the text of the PTX ISA alone: what a thread has observed comes before what it does at one location later.
#include <cuda/atomic>

// between a relaxed and a weak load: 0: nothing; 1: a relaxed load; 2: a store to y
constexpr int CASE = 0;
constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ int x = 0, y = 0;

__global__ void reads() {
    cuda::atomic_ref<int, cuda::thread_scope_device> atomic(x), other(y);
    int a = 0, b = 0, c = 0;
    if (blockIdx.x == 0) {
        atomic.store(1, relaxed);
    } else {
        a = atomic.load(relaxed);
        if (CASE == 1) c = other.load(relaxed);
        if (CASE == 2) y = 1;
        b = x;
    }
}

//@ launch reads<<<2, 1>>>();
//@ vary CASE in {0, 1, 2};
//@ options weak_loads = isa;
//@ expect forbidden reads[1][0].a == 1 && reads[1][0].b == 0 under ptx;
