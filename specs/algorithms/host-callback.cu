// A function that a stream runs on the host waits for a kernel.  In stream order after the kernel it finds it done; before
// it, it holds up the kernel that it waits for.
#include <cuda/atomic>

constexpr bool AFTER = true;

__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0}, heard{0};

__global__ void producer() { flag.store(1, cuda::memory_order_release); }

void wait_for_it(void*) {
    while (flag.load(cuda::memory_order_acquire) == 0);
    heard.store(1, cuda::memory_order_release);
}

int main() {
    cudaStream_t s;
    cudaStreamCreate(&s);
    if (!AFTER) cudaLaunchHostFunc(s, wait_for_it, nullptr);
    producer<<<1, 1, 0, s>>>();
    if (AFTER) cudaLaunchHostFunc(s, wait_for_it, nullptr);
    cudaStreamSynchronize(s);
    while (heard.load(cuda::memory_order_acquire) == 0);
    return 0;
}

//@ vary AFTER in {true, false};
//@ expect race_free;
//@ expect terminates when AFTER;
//@ expect may_hang when !AFTER;
