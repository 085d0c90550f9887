// RC11: seq_cst accesses, or seq_cst fences between relaxed ones, forbid store buffering.
#include <cuda/atomic>

constexpr cuda::memory_order ORDER = cuda::memory_order_seq_cst;
constexpr bool FENCES = false;

__device__ int x = 0, y = 0;

__global__ void sb() {
    cuda::atomic_ref<int, cuda::thread_scope_device> a(x), b(y);
    int r = 2;
    if (blockIdx.x == 0) {
        a.store(1, ORDER);
        if (FENCES) cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        r = b.load(ORDER);
    } else {
        b.store(1, ORDER);
        if (FENCES) cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        r = a.load(ORDER);
    }
}

//@ launch sb<<<2, 1>>>();
//@ vary ORDER in {seq_cst, relaxed};
//@ vary FENCES in {true, false};
//@ expect forbidden sb[0][0].r == 0 && sb[1][0].r == 0 when ORDER == seq_cst || FENCES under rc11;
//@ expect allowed sb[0][0].r == 0 && sb[1][0].r == 0 when ORDER != seq_cst && !FENCES under rc11;
//@ expect race_free under rc11;
