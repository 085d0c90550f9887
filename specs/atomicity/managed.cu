// "it affects an object in managed memory and concurrentManagedAccess is 1" (in unified memory, as v1 and v2 say): met.
#include <cuda/atomic>

__managed__ int x = 0, f = 0;

__global__ void reader() {
    cuda::atomic_ref<int, cuda::thread_scope_system> flag(f);
    int r = 2;
    if (flag.load(cuda::memory_order_acquire) == 1) r = x;
}

int main() {
    reader<<<1, 1>>>();
    x = 1;
    cuda::atomic_ref<int, cuda::thread_scope_system>(f).store(1, cuda::memory_order_release);
}

//@ expect race_free under cuda-v1, cuda-v2, cuda-v3;
