// __trap: "The execution of the kernel is aborted" (CUDA C++ programming guide).  All of the grid's threads stop at some time,
// wherever they are, and what is issued later does not run: "any further CUDA work will return the same error".  Nothing
// that waits for the grid waits for ever.
#include <cuda/atomic>

constexpr int TRAPS = 0, STORES = 1, RETURNS = 2;
constexpr int FIRST = TRAPS;

__managed__ int data = 0, later = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> ready{0};

__global__ void aborted() {
    if (threadIdx.x == 0) {
        if (FIRST == TRAPS) __trap();
        if (FIRST != RETURNS) ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0);
        data = 1;
    }
}

__global__ void after() { later = 1; }

int main() {
    aborted<<<1, 2>>>();
    after<<<1, 1>>>();
    cudaDeviceSynchronize();
}

//@ vary FIRST in {0, 1, 2};
//@ expect race_free;
//@ expect terminates when FIRST != RETURNS;
//@ expect may_hang when FIRST == RETURNS;
//@ expect terminates when FIRST == TRAPS under cuda, fair;
//@ expect required data == 0 && later == 0 when FIRST == TRAPS;
//@ expect required data == 1 && later == 1 when FIRST == STORES;
