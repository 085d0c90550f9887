// Mapped memory, loads and stores of 16 bytes: v2 names sizes of 1, 2, 4 and 8 bytes, v3 16 as well.
#include <cuda/atomic>

__int128 f = 0;
int x = 0;

__global__ void writer(int* data, __int128* ready) {
    *data = 1;
    cuda::atomic_ref<__int128, cuda::thread_scope_system>(*ready).store(1, cuda::memory_order_release);
}

int main() {
    cudaHostRegister(&x, sizeof(x), cudaHostRegisterDefault);
    cudaHostRegister(&f, sizeof(f), cudaHostRegisterDefault);
    writer<<<1, 1>>>(&x, &f);
    int r = 2;
    if (cuda::atomic_ref<__int128, cuda::thread_scope_system>(f).load(cuda::memory_order_acquire) == 1) r = x;
}

//@ expect race on f under cuda-v1, cuda-v2;
//@ expect race_free under cuda-v3;
