// GPU memory that two devices access, with native atomics between them: p2pNativeAtomicSupported is 1, as v3 asks.
#include <cuda/atomic>

__global__ void writer(int* x, int* f) {
    *x = 1;
    cuda::atomic_ref<int, cuda::thread_scope_system>(*f).store(1, cuda::memory_order_release);
}

__global__ void reader(int* x, int* f) {
    int r = 2;
    if (cuda::atomic_ref<int, cuda::thread_scope_system>(*f).load(cuda::memory_order_acquire) == 1) r = *x;
}

int main() {
    int *x, *f;
    cudaMalloc(&x, sizeof(int));
    cudaMalloc(&f, sizeof(int));
    cudaMemset(f, 0, sizeof(int));
    cudaDeviceSynchronize();
    writer<<<1, 1>>>(x, f);
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    reader<<<1, 1>>>(x, f);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaDeviceSynchronize();
}

//@ given p2pNativeAtomicSupported = 1;
//@ expect race_free under cuda-v1, cuda-v2, cuda-v3;
