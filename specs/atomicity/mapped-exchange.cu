// A read-modify-write in mapped memory is no load or store: it needs hostNativeAtomicSupported.
#include <cuda/atomic>

int x = 0, f = 0;

__global__ void reader(int* data, int* ready) {
    cuda::atomic_ref<int, cuda::thread_scope_system> flag(*ready);
    int r = 2;
    if (flag.load(cuda::memory_order_acquire) == 1) r = *data;
}

int main() {
    cudaHostRegister(&x, sizeof(x), cudaHostRegisterDefault);
    cudaHostRegister(&f, sizeof(f), cudaHostRegisterDefault);
    reader<<<1, 1>>>(&x, &f);
    x = 1;
    cuda::atomic_ref<int, cuda::thread_scope_system>(f).exchange(1, cuda::memory_order_release);
}

//@ expect race on f under cuda-v1, cuda-v2, cuda-v3;
