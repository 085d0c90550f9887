// GPU memory that the host accesses too: no clause covers it, whatever the attributes say.
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

//@ storage x = device;
//@ storage f = device;
//@ given hostNativeAtomicSupported = 1, pageableMemoryAccess = 1, p2pNativeAtomicSupported = 1;
//@ expect race on f under cuda-v1, cuda-v2, cuda-v3;
