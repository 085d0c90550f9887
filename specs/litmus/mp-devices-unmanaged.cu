// As mp-devices.cu at system scope, on a machine without concurrent managed access: no clause of "Atomicity" holds, so
// the flag's operations are not atomic, and race.
#include <cuda/atomic>

__managed__ int x = 0;
__managed__ int f = 0;

__global__ void writer() {
    x = 1;
    cuda::atomic_ref<int, cuda::thread_scope_system>(f).store(1, cuda::memory_order_release);
}

__global__ void reader() {
    int seen = cuda::atomic_ref<int, cuda::thread_scope_system>(f).load(cuda::memory_order_acquire);
    int r = seen == 1 ? x : 2;
}

int main() {
    writer<<<1, 1>>>();
    cudaSetDevice(1);
    reader<<<1, 1>>>();
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaDeviceSynchronize();
    return 0;
}

//@ given concurrentManagedAccess = 0;
//@ options races = ignore;
//@ expect race on f;
//@ expect allowed reader[0][0].r == 0;
