// Loads and stores of 16 bytes are atomic in mapped memory from v3 on.
#include <cuda/atomic>

int x = 0;
__int128 f = 0;

__global__ void reader() {
    cuda::atomic_ref<__int128, cuda::thread_scope_system> flag(f);
    int r = 2;
    if (flag.load(cuda::memory_order_acquire) == 1) r = x;
}

int main() {
    cudaHostRegister(&f, sizeof(f), cudaHostRegisterDefault);
    reader<<<1, 1>>>();
    x = 1;
    cuda::atomic_ref<__int128, cuda::thread_scope_system>(f).store(1, cuda::memory_order_release);
}

//@ expect race on f under cuda-v1, cuda-v2;
//@ expect race_free under cuda-v3;
