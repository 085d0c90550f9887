// PTX: an atomic operation is atomic with respect to writes that are morally strong with it.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__device__ int count = 0;

__global__ void add() {
    cuda::atomic_ref<int, S>(count).fetch_add(1, cuda::memory_order_relaxed);
}

//@ launch add<<<2, 1>>>();
//@ vary S in {device, block};
//@ expect required count == 2 when S == device under ptx;
//@ expect allowed count == 1 when S == block under ptx;
