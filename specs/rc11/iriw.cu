// RC11: two readers that see two independent writes in different orders; seq_cst fences between their loads forbid it (the
// relation psc_F), acquire loads do not.
#include <cuda/atomic>

constexpr cuda::memory_order ORDER = cuda::memory_order_relaxed;
constexpr bool FENCES = true;

__device__ int x = 0, y = 0;

__global__ void iriw() {
    cuda::atomic_ref<int, cuda::thread_scope_device> X(x), Y(y);
    int a = 0, b = 0;
    if (blockIdx.x == 0) X.store(1, cuda::memory_order_relaxed);
    if (blockIdx.x == 1) Y.store(1, cuda::memory_order_relaxed);
    if (blockIdx.x == 2) {
        a = X.load(ORDER);
        if (FENCES) cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        b = Y.load(ORDER);
    }
    if (blockIdx.x == 3) {
        a = Y.load(ORDER);
        if (FENCES) cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        b = X.load(ORDER);
    }
}

//@ launch iriw<<<4, 1>>>();
//@ vary ORDER in {relaxed, acquire};
//@ vary FENCES in {true, false};
//@ expect forbidden iriw[2][0].a == 1 && iriw[2][0].b == 0 && iriw[3][0].a == 1 && iriw[3][0].b == 0 when FENCES under rc11;
//@ expect allowed iriw[2][0].a == 1 && iriw[2][0].b == 0 && iriw[3][0].a == 1 && iriw[3][0].b == 0 when !FENCES under rc11;
