// Execution.Model.API.2 to API.4 side by side, as CUDA C++ that compiles: no query, one query, or a query in every
// turn of the loop, which alone "shall not consistently return cudaErrorNotReady".
#include <cuda/atomic>

constexpr int QUERIES = 2;

__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};

__global__ void producer() { flag.store(1); }

int main() {
    producer<<<1, 1>>>();
    if (QUERIES == 1) (void)cudaStreamQuery(0);
    while (flag.load() == 0) {
        if (QUERIES == 2) (void)cudaStreamQuery(0);
    }
    return cudaDeviceSynchronize();
}

//@ vary QUERIES in {0, 1, 2};
//@ expect may_hang when QUERIES < 2;
//@ expect terminates when QUERIES == 2;
