// The host sets a flag that the kernel waits for, after the launch, where launches do not wait for device threads.
#include <cuda/atomic>

__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};

__global__ void consumer() { while (flag.load() == 0); }

int main() {
    consumer<<<1, 1>>>();
    flag.store(1);
    return cudaDeviceSynchronize();
}

//@ options api = returns;
//@ expect race_free;
//@ expect terminates;
