// Message passing between two devices through managed memory: device scope does not include threads of another device,
// system scope does, and is atomic on managed memory while concurrentManagedAccess is 1.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_system;

__managed__ int x = 0;
__managed__ int f = 0;

__global__ void writer() {
    x = 1;
    cuda::atomic_ref<int, S>(f).store(1, cuda::memory_order_release);
}

__global__ void reader() {
    int seen = cuda::atomic_ref<int, S>(f).load(cuda::memory_order_acquire);
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

//@ options races = ignore;
//@ vary S in {device, system};
//@ expect allowed reader[0][0].r == 0 when S == device;
//@ expect race on f when S == device;
//@ expect forbidden reader[0][0].r == 0 when S == system;
//@ expect race_free when S == system;
