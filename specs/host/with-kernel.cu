// A host thread and a kernel hand data over through managed memory, at system scope; device scope does not reach.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_system;

__managed__ int data = 0;
__managed__ cuda::atomic<int, S> flag{0};

__global__ void consume() {
    while (flag.load(cuda::memory_order_acquire) == 0);
    int read = data;
}

int main() {
    consume<<<1, 1>>>();
    data = 1;
    flag.store(1, cuda::memory_order_release);
    cudaDeviceSynchronize();
}

//@ options races = ignore;
//@ vary S in {system, device};
//@ expect race_free when S == system;
//@ expect required consume[0][0].read == 1 when S == system;
//@ expect race on data when S == device;
//@ expect allowed consume[0][0].read == 0 when S == device;
// The launch may wait until the kernel has completed, which waits for what the host does next.
//@ expect may_hang;
