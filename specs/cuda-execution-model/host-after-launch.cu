// The host sets a flag that the kernel waits for.  A launch "shall eventually either return or ensure at least one
// device thread makes progress": it may do the latter for as long as the kernel spins (as CUDA_LAUNCH_BLOCKING=1 does),
// so the flag must be set before the launch.
#include <cuda/atomic>

constexpr bool BEFORE = true;

__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};

__global__ void consumer() { while (flag.load() == 0); }

int main() {
    if (BEFORE) flag.store(1);
    consumer<<<1, 1>>>();
    if (!BEFORE) flag.store(1);
    return cudaDeviceSynchronize();
}

//@ vary BEFORE in {true, false};
//@ expect race_free;
//@ expect terminates when BEFORE;
//@ expect may_hang when !BEFORE;
