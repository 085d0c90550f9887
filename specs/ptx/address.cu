// PTX: load buffering is forbidden where the store's address depends on what the load returned.
#include <cuda/atomic>

constexpr bool DEPENDENT = true;

__device__ int x = 0, a[2] = {0, 0};

__global__ void lb() {
    int r = 2;
    if (blockIdx.x == 0) {
        r = cuda::atomic_ref<int, cuda::thread_scope_device>(x).load(cuda::memory_order_relaxed);
        int at = DEPENDENT ? r & 1 : 1;
        cuda::atomic_ref<int, cuda::thread_scope_device>(a[at]).store(1, cuda::memory_order_relaxed);
    } else {
        r = cuda::atomic_ref<int, cuda::thread_scope_device>(a[1]).load(cuda::memory_order_relaxed);
        cuda::atomic_ref<int, cuda::thread_scope_device>(x).store(r, cuda::memory_order_relaxed);
    }
}

//@ launch lb<<<2, 1>>>();
//@ vary DEPENDENT in {true, false};
//@ expect forbidden lb[0][0].r == 1 && lb[1][0].r == 1 when DEPENDENT under ptx;
//@ expect allowed lb[0][0].r == 1 && lb[1][0].r == 1 when !DEPENDENT under ptx;
