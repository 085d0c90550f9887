// System-allocated memory where the device accesses pageable memory, but the host and the device may not access managed
// memory concurrently: v3 asks for the first alone, v1 and v2 call it unified memory, which needs both.
#include <cuda/atomic>

int x = 0, f = 0;

__global__ void reader(int* data, int* ready) {
    cuda::atomic_ref<int, cuda::thread_scope_system> flag(*ready);
    int r = 2;
    if (flag.load(cuda::memory_order_acquire) == 1) r = *data;
}

int main() {
    reader<<<1, 1>>>(&x, &f);
    x = 1;
    cuda::atomic_ref<int, cuda::thread_scope_system>(f).store(1, cuda::memory_order_release);
}

//@ given pageableMemoryAccess = 1, concurrentManagedAccess = 0;
//@ expect race on f under cuda-v1, cuda-v2;
//@ expect race_free under cuda-v3;
