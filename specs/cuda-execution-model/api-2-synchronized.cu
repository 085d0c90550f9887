// The opposite of Execution.Model.API.2 and API.3: the host synchronizes before it waits for the flag, so an API call
// is pending that does not return before the kernel has run.
#include <cuda/atomic>

constexpr bool BEFORE = true;

__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};

__global__ void producer() { flag.store(1); }

int main() {
    producer<<<1, 1>>>();
    if (BEFORE) cudaDeviceSynchronize();
    while (flag.load() == 0);
    return cudaDeviceSynchronize();
}

//@ vary BEFORE in {true, false};
//@ expect race_free;
//@ expect terminates when BEFORE;
//@ expect may_hang when !BEFORE;
