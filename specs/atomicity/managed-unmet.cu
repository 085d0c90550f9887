// The same where concurrentManagedAccess is 0: the accesses are not atomic at system scope, and race.
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

//@ given concurrentManagedAccess = 0;
//@ expect race on f under cuda-v1, cuda-v2, cuda-v3;
